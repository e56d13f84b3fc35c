import { Button, Stack, Text, TextInput } from '@mantine/core';
import { isEmail, useForm } from '@mantine/form';
import { useState } from 'react';
import { call } from '../api/client.js';
import { FormProblem } from '../ui/form-problem.js';
import { useSubmit } from '../ui/use-submit.js';
import { useTitle } from '../ui/use-title.js';
import { MailedPage } from './mailed-page.js';

const FIELDS = ['email'];

export function ForgotPasswordPage() {
  useTitle('Forgot password');
  const [sentTo, setSentTo] = useState<string>();
  return (
    <MailedPage
      title={sentTo ? 'Check your e-mail' : 'Forgot password'}
      outcome={
        sentTo && (
          <Text mt="md">
            If <strong>{sentTo}</strong> has an account, a link is on its way. It works for 30
            minutes.
          </Text>
        )
      }
      footer={<a href="/sign-in">Back to sign-in</a>}
    >
      {!sentTo && <AddressForm onSent={setSentTo} />}
    </MailedPage>
  );
}

function AddressForm({ onSent }: { readonly onSent: (email: string) => void }) {
  const form = useForm({
    initialValues: { email: '' },
    validate: { email: isEmail('Enter an e-mail address, such as you@example.com.') },
  });
  const { submit, isPending, error } = useSubmit(form, {
    send: (body) => call('post', '/api/auth/forgot-password', { body }),
    onSuccess: (_result, { email }) => onSent(email),
  });

  return (
    <form noValidate onSubmit={submit}>
      <Stack>
        <Text>We will send you a link to choose a new password.</Text>
        <FormProblem error={error} fields={FIELDS} />
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          autoFocus
          required
          {...form.getInputProps('email')}
        />
        <Button type="submit" loading={isPending}>
          Send the link
        </Button>
      </Stack>
    </form>
  );
}
