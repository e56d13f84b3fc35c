import { Button, Stack, TextInput } from '@mantine/core';
import { isEmail, isNotEmpty, useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { FormProblem } from '../ui/form-problem.js';
import { LinkAnchor } from '../ui/links.js';
import { PasswordField } from '../ui/password-field.js';
import { PageTitle } from '../ui/text.js';
import { useSubmit } from '../ui/use-submit.js';
import { useTitle } from '../ui/use-title.js';
import { EntryPage } from './entry-page.js';
import type { Credentials } from './session.js';

const FIELDS = ['email', 'password'] as const;

export interface CredentialsFormProps {
  readonly title: string;
  readonly action: string;
  /** Kind of password that a password manager should offer (HTML, autocomplete). */
  readonly password: 'current-password' | 'new-password';
  readonly hint?: string;
  readonly other: {
    readonly question: string;
    readonly to: '/sign-in' | '/sign-up';
    readonly label: string;
  };
  /** Notice above the form. */
  readonly notice?: ReactNode;
  /** Help for users who cannot fill in the form. */
  readonly help?: ReactNode;
  readonly next: string | undefined;
  readonly submit: (credentials: Credentials) => Promise<void>;
}

export function CredentialsForm(props: CredentialsFormProps) {
  const { title, action, password, hint, other, notice, help, next, submit: send } = props;
  useTitle(title);
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: isEmail('Enter an e-mail address, such as you@example.com.'),
      password: isNotEmpty('Enter your password.'),
    },
  });
  const { submit, isPending, error } = useSubmit(form, {
    send,
    onSuccess: () => {},
    signsIn: true,
  });

  return (
    <EntryPage
      footer={
        <>
          {other.question}{' '}
          <LinkAnchor to={other.to} search={{ next }}>
            {other.label}
          </LinkAnchor>
        </>
      }
    >
      <form noValidate onSubmit={submit}>
        <Stack>
          <PageTitle size="h3">{title}</PageTitle>
          {error ? <FormProblem error={error} fields={FIELDS} /> : notice}
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            autoFocus
            required
            {...form.getInputProps('email')}
          />
          <PasswordField
            label="Password"
            autoComplete={password}
            description={hint}
            {...form.getInputProps('password')}
          />
          <Button type="submit" loading={isPending}>
            {action}
          </Button>
          {help}
        </Stack>
      </form>
    </EntryPage>
  );
}
