import { isNotEmpty, useForm } from '@mantine/form';
import { call } from '../api/client.js';
import { FormDialog } from '../ui/form-dialog.js';
import { FormProblem } from '../ui/form-problem.js';
import { PasswordField } from '../ui/password-field.js';
import { PASSWORD_HINT } from '../ui/password-hint.js';
import { useDialogForm } from '../ui/use-submit.js';

const FIELDS = ['current_password', 'new_password'];

export interface ChangePasswordDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function ChangePasswordDialog({ opened, onClose, onDone }: ChangePasswordDialogProps) {
  const form = useForm({
    initialValues: { current_password: '', new_password: '' },
    validate: {
      current_password: isNotEmpty('Enter your password.'),
      new_password: isNotEmpty('Enter a new password.'),
    },
  });
  const { error, dialog } = useDialogForm(form, {
    send: (body) => call('post', '/api/auth/change-password', { body }),
    onSuccess: onDone,
    onClose,
  });

  return (
    <FormDialog title="Change your password" action="Change password" opened={opened} {...dialog}>
      <FormProblem error={error} fields={FIELDS} />
      <PasswordField
        label="Current password"
        autoComplete="current-password"
        data-autofocus
        {...form.getInputProps('current_password')}
      />
      <PasswordField
        label="New password"
        description={PASSWORD_HINT}
        autoComplete="new-password"
        {...form.getInputProps('new_password')}
      />
    </FormDialog>
  );
}
