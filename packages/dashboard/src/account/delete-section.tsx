import { Button, List } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.js';
import type { Answer } from '../api/types.js';
import { sessionQuery, signOut } from '../session/session.js';
import { FormDialog } from '../ui/form-dialog.js';
import { FormProblem } from '../ui/form-problem.js';
import { PasswordField } from '../ui/password-field.js';
import { useSubmit } from '../ui/use-submit.js';
import { Section } from './section.js';

const FIELDS = ['password'];

export function DeleteSection() {
  const [asking, setAsking] = useState(false);
  return (
    <Section
      title="Delete the account"
      hint="You get a receipt of what was deleted. This cannot be undone."
      action={
        <Button variant="subtle" color="red" onClick={() => setAsking(true)}>
          Delete account
        </Button>
      }
    >
      <DeleteDialog opened={asking} onClose={() => setAsking(false)} />
    </Section>
  );
}

interface DeleteDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

function DeleteDialog({ opened, onClose }: DeleteDialogProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const hasPassword = useQuery(sessionQuery).data?.has_password ?? true;
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: hasPassword ? isNotEmpty('Enter your password.') : () => null },
  });
  const { submit, isPending, error, clear } = useSubmit(form, {
    send: (filled) =>
      call<Answer<'/api/auth/me', 'delete'>>('DELETE', '/api/auth/me', {
        body: hasPassword ? filled : {},
      }),
    onSuccess: async ({ receipt_id: receiptId }) => {
      await navigate({ to: '/deletion-receipts/$receiptId', params: { receiptId }, replace: true });
      await signOut(queries); // The session has ended; its cookies go too.
    },
  });

  return (
    <FormDialog
      title="Delete your account?"
      action="Delete account"
      destructive
      opened={opened}
      pending={isPending}
      onSubmit={submit}
      onClose={() => {
        clear();
        onClose();
      }}
    >
      <List size="sm" spacing="xs">
        <List.Item>Connected mailboxes and calendars are disconnected.</List.Item>
        <List.Item>Webhooks and their deliveries are deleted; nothing more is sent.</List.Item>
        <List.Item>Every session and API key ends at once.</List.Item>
      </List>
      <FormProblem error={error} fields={FIELDS} />
      {hasPassword && (
        <PasswordField
          label="Password"
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
      )}
    </FormDialog>
  );
}
