import { Button, Stack } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import classes from './confirm-dialog.module.css';
import { Dialog } from './dialog.js';
import { FormProblem } from './form-problem.js';

export interface ConfirmDialogProps {
  readonly title: string;
  /** Consequences of the action. */
  readonly children: ReactNode;
  /** Label of the button that confirms. */
  readonly action: string;
  readonly opened: boolean;
  /** The action. Closing the dialog forgets its error. */
  readonly mutation: Pick<UseMutationResult, 'isPending' | 'error' | 'reset'>;
  /** A milder alternative to the action. */
  readonly instead?: ReactNode;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before an action that cannot be undone. The button Cancel has the focus, and Escape cancels too. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, action, opened, mutation, instead, onConfirm } = props;
  const onClose = () => {
    props.onClose();
    mutation.reset();
  };
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <Stack>
        <div>{children}</div>
        <FormProblem error={mutation.error} fields={[]} />
        <div className={classes['actions']}>
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          {instead}
          <Button color="red" loading={mutation.isPending} onClick={onConfirm}>
            {action}
          </Button>
        </div>
      </Stack>
    </Dialog>
  );
}
