import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { FormProblem } from '../ui/form-problem.js';
import { LinkAnchor, SignInLink } from '../ui/links.js';
import { useTitle } from '../ui/use-title.js';
import { useEndOfSessions } from './end-of-sessions.js';
import { MailedPage } from './mailed-page.js';
import { mailedToken } from './mailed-token.js';
import { ResetForm } from './reset-form.js';

export function ResetPasswordPage() {
  useTitle('Choose a new password');
  const { done, end } = useEndOfSessions();
  const { data: preview, error } = useQuery({
    queryKey: ['reset-preview'],
    enabled: mailedToken !== undefined && !done,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      call('post', '/api/auth/reset-password/preview', {
        body: { token: mailedToken ?? '' },
        signal,
      }),
  });
  return (
    <MailedPage
      title={done ? 'Your password is changed' : 'Choose a new password'}
      outcome={done && <Text mt="md">You were signed out everywhere.</Text>}
      footer={<LinkAnchor to="/forgot-password">Ask for another link</LinkAnchor>}
    >
      {done && <SignInLink />}
      {mailedToken === undefined && (
        <Text>This link is incomplete. Open it again from the message.</Text>
      )}
      {!done && <FormProblem error={error} fields={[]} />}
      {!done && preview && mailedToken !== undefined && (
        <ResetForm token={mailedToken} preview={preview} onDone={end} />
      )}
    </MailedPage>
  );
}
