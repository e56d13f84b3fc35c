import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './confirm-dialog.module.css';
import { Dialog } from './dialog.js';
import { FormProblem } from './form-problem.js';

export interface ConfirmDialogProps {
  readonly title: string;
  /** What will be different afterwards. */
  readonly children: ReactNode;
  /** The deed, as its button says it. */
  readonly action: string;
  readonly opened: boolean;
  readonly pending: boolean;
  readonly error: unknown;
  /** A gentler way to the same end. */
  readonly instead?: ReactNode;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before what cannot be taken back. The way out has the focus, and Escape takes it. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, action, opened, pending, error, instead, onConfirm, onClose } = props;
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <div>{children}</div>
        <FormProblem error={error} fields={[]} />
        <div className={classes['actions']}>
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          {instead}
          <Button color="red" loading={pending} onClick={onConfirm}>
            {action}
          </Button>
        </div>
      </Stack>
    </Dialog>
  );
}
