import { Button, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { EntryPage } from '../session/entry-page.js';
import { sessionQuery } from '../session/session.js';
import { FormProblem } from '../ui/form-problem.js';
import { LinkAnchor, LinkButton } from '../ui/links.js';
import { useTitle } from '../ui/use-title.js';
import { mailedToken } from './mailed-token.js';

/** Asks for a click, because mail filters open links before their readers do. */
export function VerifyEmailPage() {
  useTitle('Confirm your address');
  const queries = useQueryClient();
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () => call('POST', '/api/auth/verify-email', { body: { token: mailedToken } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  });
  const isWhole = mailedToken !== undefined;

  return (
    <EntryPage footer={<LinkAnchor to="/account">Your account</LinkAnchor>}>
      <Stack>
        <Title order={1} size="h3">
          {isSuccess ? 'Your address is confirmed' : 'Confirm your address'}
        </Title>
        <FormProblem error={error} fields={[]} />
        <Text role="status">{isSuccess ? DONE : isWhole ? ASKED : BROKEN}</Text>
        {isSuccess && <LinkButton to="/integrations">Continue</LinkButton>}
        {isWhole && !isSuccess && (
          <Button loading={isPending} onClick={() => mutate()}>
            Confirm address
          </Button>
        )}
      </Stack>
    </EntryPage>
  );
}

const ASKED = 'It will be the e-mail address of your Junction account.';
const DONE = 'We write to it about your account.';
const BROKEN = 'This link is incomplete. Open it again from the e-mail, or ask for a new one.';
