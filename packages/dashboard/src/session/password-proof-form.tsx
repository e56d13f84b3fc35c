import { Button, Stack } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { FormProblem } from '../ui/form-problem.js';
import { PasswordField } from '../ui/password-field.js';
import { useSubmit } from '../ui/use-submit.js';

const FIELDS = ['password'];

export interface PasswordProofFormProps {
  readonly submit: (proof: { readonly password: string }) => Promise<void>;
}

/** The password of a user who is signed in and has no second factor. */
export function PasswordProofForm({ submit: send }: PasswordProofFormProps) {
  const form = useForm({
    initialValues: { password: '' },
    validate: { password: isNotEmpty('Enter your password.') },
  });
  const { submit, isPending, error } = useSubmit(form, { send, onSuccess: () => {} });
  return (
    <form noValidate onSubmit={submit}>
      <Stack>
        <FormProblem error={error} fields={FIELDS} />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
        <Button type="submit" loading={isPending}>
          Continue
        </Button>
      </Stack>
    </form>
  );
}
