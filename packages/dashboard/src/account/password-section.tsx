import { Button } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.js';
import { FormDialog } from '../ui/form-dialog.js';
import { FormProblem } from '../ui/form-problem.js';
import { PasswordField } from '../ui/password-field.js';
import { useSubmit } from '../ui/use-submit.js';
import { sessionsQuery } from './account-queries.js';
import { Section } from './section.js';

const FIELDS = ['current_password', 'new_password'];

export function PasswordSection() {
  const queries = useQueryClient();
  const [notice, setNotice] = useState<string>();
  const [changing, setChanging] = useState(false);
  return (
    <Section
      title="Password"
      hint="A new one ends your other sessions."
      notice={notice}
      onNoticeClosed={() => setNotice(undefined)}
      action={
        <Button variant="default" onClick={() => setChanging(true)}>
          Change password
        </Button>
      }
    >
      <ChangePasswordDialog
        opened={changing}
        onClose={() => setChanging(false)}
        onDone={() => {
          setChanging(false);
          setNotice('Your password is changed, and your other sessions have ended.');
          void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
        }}
      />
    </Section>
  );
}

interface ChangePasswordDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function ChangePasswordDialog({ opened, onClose, onDone }: ChangePasswordDialogProps) {
  const form = useForm({
    initialValues: { current_password: '', new_password: '' },
    validate: {
      current_password: isNotEmpty('Enter your password.'),
      new_password: isNotEmpty('Enter a new password.'),
    },
  });
  const { submit, isPending, error, clear } = useSubmit(form, {
    send: (body) => call('POST', '/api/auth/change-password', { body }),
    onSuccess: () => {
      clear();
      onDone();
    },
  });

  return (
    <FormDialog
      title="Change your password"
      action="Change password"
      opened={opened}
      pending={isPending}
      onSubmit={submit}
      onClose={() => {
        clear();
        onClose();
      }}
    >
      <FormProblem error={error} fields={FIELDS} />
      <PasswordField
        label="Current password"
        autoComplete="current-password"
        data-autofocus
        {...form.getInputProps('current_password')}
      />
      <PasswordField
        label="New password"
        description="At least 8 characters. A few words are easier to remember than a short riddle."
        autoComplete="new-password"
        {...form.getInputProps('new_password')}
      />
    </FormDialog>
  );
}
