import { Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { isEmail, isNotEmpty, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { fieldErrors } from '../api/problem.js';
import { Logo } from '../app/logo.js';
import { FormProblem } from '../ui/form-problem.js';
import { LinkAnchor } from '../ui/links.js';
import { useTitle } from '../ui/use-title.js';
import classes from './credentials-form.module.css';
import type { Credentials } from './session.js';

const FIELDS = ['email', 'password'] as const;

export interface CredentialsFormProps {
  readonly title: string;
  readonly action: string;
  /** What a password manager should offer (HTML, autocomplete). */
  readonly password: 'current-password' | 'new-password';
  readonly hint?: string;
  readonly other: {
    readonly question: string;
    readonly to: '/sign-in' | '/sign-up';
    readonly label: string;
  };
  readonly next: string | undefined;
  readonly submit: (credentials: Credentials) => Promise<void>;
}

export function CredentialsForm(props: CredentialsFormProps) {
  const { title, action, password, hint, other, next, submit } = props;
  useTitle(title);
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: isEmail('Enter an e-mail address, such as you@example.com.'),
      password: isNotEmpty('Enter your password.'),
    },
  });
  const focusFirst = (wrong: object) => {
    const first = FIELDS.find((field) => field in wrong);
    if (first) form.getInputNode(first)?.focus();
  };
  const { mutate, isPending, error } = useMutation({
    mutationFn: submit,
    meta: { signsIn: true },
    onError: (error) => {
      const wrong = fieldErrors(error);
      form.setErrors(wrong);
      focusFirst(wrong);
    },
  });
  const id = useId();

  return (
    <main className={classes['page']}>
      <div>
        <Logo />
        <Text size="sm" c="var(--text-quiet)" mt={6}>
          Your mailbox and calendar connected, your webhooks signed.
        </Text>
      </div>
      <Paper withBorder p="xl" radius="lg" shadow="xs">
        <form noValidate onSubmit={form.onSubmit((values) => mutate(values), focusFirst)}>
          <Stack>
            <Title order={1} size="h3">
              {title}
            </Title>
            <FormProblem error={error} fields={FIELDS} />
            <TextInput
              label="E-mail"
              type="email"
              autoComplete="username"
              autoFocus
              required
              {...form.getInputProps('email')}
            />
            <PasswordInput
              label="Password"
              // What TextInput does by itself.
              aria-invalid={form.errors['password'] ? true : undefined}
              aria-describedby={`${id}-hint ${id}-error`}
              descriptionProps={{ id: `${id}-hint` }}
              errorProps={{ id: `${id}-error` }}
              autoComplete={password}
              description={hint}
              required
              {...form.getInputProps('password')}
            />
            <Button type="submit" loading={isPending}>
              {action}
            </Button>
          </Stack>
        </form>
      </Paper>
      <Text size="sm" ta="center">
        {other.question}{' '}
        <LinkAnchor to={other.to} search={{ next }}>
          {other.label}
        </LinkAnchor>
      </Text>
    </main>
  );
}
