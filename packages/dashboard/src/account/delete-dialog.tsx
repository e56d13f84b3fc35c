import { List } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../api/client.js';
import { sessionQuery, signOut } from '../session/session.js';
import { FormDialog } from '../ui/form-dialog.js';
import { FormProblem } from '../ui/form-problem.js';
import { PasswordField } from '../ui/password-field.js';
import { useSubmit } from '../ui/use-submit.js';

const FIELDS = ['password'];

export interface DeleteDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function DeleteDialog({ opened, onClose }: DeleteDialogProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data: user } = useQuery(sessionQuery);
  const hasPassword = user?.has_password ?? true;
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: hasPassword ? isNotEmpty('Enter your password.') : () => null },
  });
  const { submit, isPending, error, clear } = useSubmit(form, {
    send: (filled) => call('delete', '/api/auth/me', { body: hasPassword ? filled : {} }),
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
        <List.Item>Your mailboxes and calendars are disconnected.</List.Item>
        <List.Item>Your webhooks are deleted, and nothing more is sent.</List.Item>
        <List.Item>All sessions and API keys stop working at once.</List.Item>
        <List.Item>
          {user?.email_verified && user.sends_mail
            ? `Everything else is deleted in 72 hours. Until then, the link that we send to ${user.email} brings the account back, or deletes it at once.`
            : 'Everything else is deleted at once too. This cannot be undone.'}
        </List.Item>
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
