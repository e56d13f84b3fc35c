import { Button, Stack } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { FormProblem } from '../ui/form-problem.js';
import { PasswordField } from '../ui/password-field.js';
import { PASSWORD_HINT } from '../ui/password-hint.js';
import { useSubmit } from '../ui/use-submit.js';

const FIELDS = ['new_password'];

export interface NewPasswordFormProps {
  /** The text of the button. */
  readonly label: string;
  readonly color?: 'red';
  /** The effect of the new password, beside the rule for it. */
  readonly hint?: string;
  readonly send: (values: { readonly new_password: string }) => Promise<unknown>;
  readonly onDone?: () => void;
  /** Stands between the field and the button. */
  readonly children?: ReactNode;
}

/** Asks for a new password. */
export function NewPasswordForm({
  label,
  color,
  hint = '',
  send,
  onDone = () => {},
  children,
}: NewPasswordFormProps) {
  const form = useForm({
    initialValues: { new_password: '' },
    validate: { new_password: isNotEmpty('Enter a new password.') },
  });
  const { submit, isPending, error } = useSubmit(form, { send, onSuccess: onDone });

  return (
    <form noValidate onSubmit={submit}>
      <Stack>
        <FormProblem error={error} fields={FIELDS} />
        <PasswordField
          label="New password"
          description={`${PASSWORD_HINT} ${hint}`}
          autoComplete="new-password"
          {...form.getInputProps('new_password')}
        />
        {children}
        <Button type="submit" loading={isPending} {...(color && { color })}>
          {label}
        </Button>
      </Stack>
    </form>
  );
}
