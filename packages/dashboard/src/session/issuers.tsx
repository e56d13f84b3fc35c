import { useEffect, useState } from 'react';
import { call } from '../api/client.js';
import type { Answer } from '../api/types.js';
import { Alert } from '../ui/form-problem.js';
import { ActionLink } from './fields.js';

type Issuer = Answer<'/api/auth/sign-in-issuers', 'get'>['items'][number];

/** A button for each issuer at which users may sign in. Nothing when there is none, or none is known just now. */
export function IssuerButtons() {
  const [issuers, setIssuers] = useState<readonly Issuer[]>([]);
  useEffect(() => {
    const ending = new AbortController();
    call('get', '/api/auth/sign-in-issuers', { signal: ending.signal }).then(
      ({ items }) => setIssuers(items),
      () => undefined,
    );
    return () => ending.abort();
  }, []);
  return issuers.map(({ id, display_name: name }) => (
    <ActionLink key={id} href={`/api/auth/sign-in/${encodeURIComponent(id)}`}>
      Continue with {name}
    </ActionLink>
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
    <Alert title="You are not signed in">
      {WORDS[code] ?? 'Signing in did not work. Please start again.'}
    </Alert>
  );
