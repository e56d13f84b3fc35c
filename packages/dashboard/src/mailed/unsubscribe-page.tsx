import { Button, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { FormProblem } from '../ui/form-problem.js';
import { LinkAnchor } from '../ui/links.js';
import { useTitle } from '../ui/use-title.js';
import { MailedPage } from './mailed-page.js';
import { mailedToken } from './mailed-token.js';

/** Stops mails at the press of a button: mail filters open the link too, and press nothing. */
export function UnsubscribePage() {
  useTitle('Stop these messages');
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () =>
      call('post', '/api/auth/unsubscribe', { params: { query: { token: mailedToken ?? '' } } }),
  });
  return (
    <MailedPage
      title={isSuccess ? 'You get no more of these' : 'Stop these messages'}
      outcome={isSuccess && <Text mt="md">Your account page turns them on again.</Text>}
      footer={<LinkAnchor to="/account">Your account</LinkAnchor>}
    >
      {mailedToken === undefined && (
        <Text>This link is incomplete. Open it again from the message.</Text>
      )}
      {mailedToken !== undefined && !isSuccess && (
        <>
          <Text>
            We write when a webhook fails or is disabled, and when an account has to be connected
            again. Messages about your password and your account come all the same.
          </Text>
          <FormProblem error={error} fields={[]} />
          <Button loading={isPending} onClick={() => mutate()}>
            Stop them
          </Button>
        </>
      )}
    </MailedPage>
  );
}
