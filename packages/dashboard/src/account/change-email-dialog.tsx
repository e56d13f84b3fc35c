import { TextInput } from '@mantine/core';
import { isEmail, isNotEmpty, useForm } from '@mantine/form';
import { call } from '../api/client.js';
import { FormDialog } from '../ui/form-dialog.js';
import { FormProblem } from '../ui/form-problem.js';
import { PasswordField } from '../ui/password-field.js';
import { useDialogForm } from '../ui/use-submit.js';

const FIELDS = ['new_email', 'password'];

export interface ChangeEmailDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onDone: (email: string) => void;
}

export function ChangeEmailDialog({ opened, onClose, onDone }: ChangeEmailDialogProps) {
  const form = useForm({
    initialValues: { new_email: '', password: '' },
    validate: {
      new_email: isEmail('Enter an e-mail address, such as you@example.com.'),
      password: isNotEmpty('Enter your password.'),
    },
  });
  const { error, dialog } = useDialogForm(form, {
    send: (body) => call('post', '/api/auth/change-email', { body }),
    onSuccess: (_result, { new_email: email }) => onDone(email),
    onClose,
  });

  return (
    <FormDialog
      title="Change your e-mail address"
      action="Send confirmation e-mail"
      opened={opened}
      {...dialog}
    >
      <FormProblem error={error} fields={FIELDS} />
      <TextInput
        label="New address"
        description="It takes effect when you open the link we send to it."
        type="email"
        autoComplete="email"
        data-autofocus
        required
        {...form.getInputProps('new_email')}
      />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        {...form.getInputProps('password')}
      />
    </FormDialog>
  );
}
