import { Button, Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import classes from './confirm-dialog.module.css';
import { Dialog } from './dialog.js';

export interface FormDialogProps {
  readonly title: string;
  /** The fields. */
  readonly children: ReactNode;
  readonly action: string;
  /** Label of the button that closes the dialog without sending. */
  readonly cancel?: string;
  /** True when the action destroys something. */
  readonly destructive?: boolean;
  readonly opened: boolean;
  readonly pending: boolean;
  /** True while there is nothing to send. */
  readonly disabled?: boolean;
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  readonly onClose: () => void;
}

/** A short form above the page. Enter sends it, Escape leaves it. */
export function FormDialog(props: FormDialogProps) {
  const { title, children, action, cancel = 'Cancel', destructive, opened, pending } = props;
  const { disabled = false, onSubmit, onClose } = props;
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit(event);
        }}
      >
        <Stack>
          {children}
          <div className={classes['actions']}>
            <Button variant="default" onClick={onClose}>
              {cancel}
            </Button>
            <Button
              type="submit"
              loading={pending}
              disabled={disabled}
              {...(destructive && { color: 'red' })}
            >
              {action}
            </Button>
          </div>
        </Stack>
      </form>
    </Dialog>
  );
}
