import { Button, Stack, Text, Title } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.js';
import { EntryPage } from '../session/entry-page.js';
import { sessionQuery } from '../session/session.js';
import { FormProblem } from '../ui/form-problem.js';
import { LinkAnchor, LinkButton } from '../ui/links.js';
import { PasswordField } from '../ui/password-field.js';
import { PASSWORD_HINT } from '../ui/password-hint.js';
import { useSubmit } from '../ui/use-submit.js';
import { useTitle } from '../ui/use-title.js';
import { mailedToken } from './mailed-token.js';

const FIELDS = ['new_password'];

export function ResetPasswordPage() {
  useTitle('Choose a new password');
  const [done, setDone] = useState(false);
  return (
    <EntryPage footer={<LinkAnchor to="/forgot-password">Ask for another link</LinkAnchor>}>
      <Stack>
        <div>
          <Title order={1} size="h3">
            {done ? 'Your password is changed' : 'Choose a new password'}
          </Title>
          <div role="status">{done && <Text mt="md">You were signed out everywhere.</Text>}</div>
        </div>
        {done && <LinkButton to="/sign-in">Sign in</LinkButton>}
        {!done && mailedToken === undefined && (
          <Text>This link is incomplete. Open it again from the e-mail.</Text>
        )}
        {!done && mailedToken !== undefined && (
          <NewPasswordForm token={mailedToken} onDone={() => setDone(true)} />
        )}
      </Stack>
    </EntryPage>
  );
}

interface NewPasswordFormProps {
  readonly token: string;
  readonly onDone: () => void;
}

function NewPasswordForm({ token, onDone }: NewPasswordFormProps) {
  const queries = useQueryClient();
  const form = useForm({
    initialValues: { new_password: '' },
    validate: { new_password: isNotEmpty('Enter a new password.') },
  });
  const { submit, isPending, error } = useSubmit(form, {
    send: (values) => call('POST', '/api/auth/reset-password', { body: { token, ...values } }),
    onSuccess: () => {
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, null);
      onDone();
    },
  });

  return (
    <form noValidate onSubmit={submit}>
      <Stack>
        <FormProblem error={error} fields={FIELDS} />
        <PasswordField
          label="New password"
          description={`${PASSWORD_HINT} You will be signed out everywhere.`}
          autoComplete="new-password"
          autoFocus
          {...form.getInputProps('new_password')}
        />
        <Button type="submit" loading={isPending}>
          Change password
        </Button>
      </Stack>
    </form>
  );
}
