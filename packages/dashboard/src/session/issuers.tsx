import { Alert, Button } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { Answer } from '../api/types.js';

const ISSUERS = '/api/auth/sign-in-issuers';

const issuersQuery = queryOptions({
  queryKey: ['sign-in-issuers'],
  queryFn: ({ signal }) => call<Answer<typeof ISSUERS, 'get'>>('GET', ISSUERS, { signal }),
  staleTime: Infinity,
});

/** A button for each issuer at which users may sign in. Nothing when there is none, or none is known just now. */
export function IssuerButtons() {
  const { data } = useQuery(issuersQuery);
  return data?.items.map(({ id, display_name: name }) => (
    <Button
      key={id}
      component="a"
      variant="default"
      href={`/api/auth/sign-in/${encodeURIComponent(id)}`}
    >
      Continue with {name}
    </Button>
  ));
}

const WORDS: Readonly<Record<string, string>> = {
  sign_in_refused: 'You were not signed in there. Try again, or sign in another way.',
  issuer_session_ended:
    'You are not signed in there any more, so you were signed out here too. Sign in again to go on.',
  invalid_refresh_token: 'Your session has ended. Sign in again to go on.',
  issuer_unavailable: 'It is not answering right now. Try again in a moment.',
  account_deleted: 'Your account here was deleted, and can’t be opened again.',
  user_of_another_origin: 'This account was created in another way. Sign in the way you did then.',
};

/** The reason why the browser came back from an issuer without a session. */
export const IssuerProblem = ({ code }: { readonly code: string | undefined }) =>
  code === undefined ? null : (
    <Alert color="red" role="alert" title="You are not signed in">
      {WORDS[code] ?? 'Signing in did not work. Please start again.'}
    </Alert>
  );
