import { Button, List, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../api/client.js';
import type { AccountChange } from '../api/types.js';
import { Disclosure } from '../ui/disclosure.js';
import { FormProblem } from '../ui/form-problem.js';
import { SignInLink } from '../ui/links.js';
import { RelativeTime } from '../ui/relative-time.js';
import { useTitle } from '../ui/use-title.js';
import { useEndOfSessions } from './end-of-sessions.js';
import { MailedPage } from './mailed-page.js';
import { mailedToken } from './mailed-token.js';
import { NewPasswordForm } from './new-password-form.js';

/** Where the link of a mail about a change of the account leads. */
export function UndoChangesPage() {
  useTitle('Take changes back');
  const { done, end } = useEndOfSessions();
  return (
    <MailedPage
      title={done ? 'The changes were taken back' : 'Take changes back'}
      outcome={done && <Text mt="md">You were signed out everywhere. {AFTERWARDS}</Text>}
      footer={<a href="/sign-in">Back to sign-in</a>}
    >
      {done && <SignInLink />}
      {!done && mailedToken === undefined && (
        <Text>This link is incomplete. Open it again from the message.</Text>
      )}
      {!done && mailedToken !== undefined && <Changes token={mailedToken} onDone={end} />}
    </MailedPage>
  );
}

const AFTERWARDS =
  'Look at your factors, API keys, webhooks and integrations; make new recovery codes if you use a second factor.';

function Changes({ token, onDone }: { readonly token: string; readonly onDone: () => void }) {
  const { data, error } = useQuery({
    queryKey: ['undo-changes'],
    queryFn: () => call('post', '/api/auth/undo-changes/preview', { body: { token } }),
    retry: false,
  });
  if (error) return <FormProblem error={error} fields={[]} />;
  if (!data) return <Text aria-busy="true">Looking at what was changed …</Text>;
  return (
    <>
      <Text>This takes back:</Text>
      <List>
        {data.changes.map(({ kind, changed_at: at }) => (
          <List.Item key={`${kind} ${at}`}>
            {WORDS[kind]}, <RelativeTime at={at} />
          </List.Item>
        ))}
      </List>
      <Text>
        API keys that were made or got a new secret since are revoked, and webhooks that were made
        or changed since are disabled. What was revoked or ended since, and recovery codes of
        before, do not come back.
      </Text>
      <NewPasswordForm
        label="Take back and change password"
        hint="You will be signed out everywhere."
        send={(values) => call('post', '/api/auth/undo-changes', { body: { token, ...values } })}
        onDone={onDone}
      />
      {data.may_end_at_once && <EndAtOnce token={token} />}
    </>
  );
}

/** For somebody who has deleted the account, and does not want to wait. */
function EndAtOnce({ token }: { readonly token: string }) {
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('post', '/api/auth/undo-changes/end-account', { body: { token } }),
    onSuccess: ({ receipt_id: receiptId }) =>
      navigate({ to: '/deletion-receipts/$receiptId', params: { receiptId }, replace: true }),
  });
  return (
    <Disclosure summary="I deleted the account">
      <Stack>
        <Text size="sm">
          Do nothing, and everything that is left of it ends 72 hours after the deletion. Or end it
          at once: nothing brings it back then, and the address is free again.
        </Text>
        <FormProblem error={error} fields={[]} />
        <Button color="red" loading={isPending} onClick={() => mutate()}>
          Delete it at once
        </Button>
      </Stack>
    </Disclosure>
  );
}

const WORDS: Readonly<Record<AccountChange['kind'], string>> = {
  factor_added: 'A second factor was added',
  factor_removed: 'A second factor was removed',
  factors_removed: 'An operator removed every second factor',
  recovery_codes_made: 'New recovery codes were made',
  recovery_code_used: 'A recovery code was used',
  password_changed: 'The password was changed',
  email_changed: 'The e-mail address was changed',
  api_key_created: 'An API key was made',
  api_key_rotated: 'An API key got a new secret',
  api_key_revoked: 'An API key was revoked',
  account_deleted: 'The account was deleted',
  webhooks_changed: 'A webhook was made or changed',
};
