import { Button, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import classes from './confirm-dialog.module.css';
import { Dialog } from './dialog.js';
import { LeaveQuestion, Unsaved } from './unsaved.js';

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

/** A short form above the page. Enter sends it; Escape leaves it, after a question when something was typed. */
export function FormDialog(props: FormDialogProps) {
  const { title, children, action, cancel = 'Cancel', destructive, opened, pending } = props;
  const { disabled = false, onSubmit, onClose } = props;
  const [isDirty, setDirty] = useState(false);
  const [isAsked, setAsked] = useState(false);
  // A form that was sent or left begins anew.
  if (!opened && isDirty) setDirty(false);
  const close = () => {
    setAsked(false);
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={() => (isDirty ? setAsked(true) : close())} title={title}>
      <Unsaved isDirty={isDirty} />
      <LeaveQuestion opened={isAsked} onStay={() => setAsked(false)} onLeave={close} />
      <form
        noValidate
        onInput={() => setDirty(true)}
        onSubmit={(event) => {
          event.preventDefault();
          // The answer may lead to another page.
          setDirty(false);
          onSubmit(event);
        }}
      >
        <Stack>
          {children}
          <div className={classes['actions']}>
            <Button variant="default" onClick={close}>
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
