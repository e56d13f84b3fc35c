import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { Answer } from '../api/types.js';
import { sessionQuery } from '../session/session.js';

const TOTP = '/api/auth/totp';
const PASSKEYS = '/api/auth/passkeys';

export const factorsQuery = queryOptions({
  queryKey: ['account', 'second-factors'],
  queryFn: ({ signal }) => call('get', '/api/auth/second-factors', { signal }),
});

/** The first factor ends other sessions, so everything about the account is read again. */
const readAgain = (queries: QueryClient) =>
  Promise.all([
    queries.invalidateQueries({ queryKey: ['account'] }),
    queries.invalidateQueries(sessionQuery),
  ]);

export type OfferedTotp = Answer<typeof TOTP, 'post'>;

export const offerTotp = () => call('post', TOTP);

/** Resolves to recovery codes when it is the first factor. */
export async function confirmTotp(queries: QueryClient, code: string) {
  const { recovery_codes: codes } = await call('post', `${TOTP}/confirm`, { body: { code } });
  await readAgain(queries);
  return codes;
}

export async function removeTotp(queries: QueryClient): Promise<void> {
  await call('delete', TOTP);
  await readAgain(queries);
}

/** The codes before these are refused from then on. */
export async function newRecoveryCodes(queries: QueryClient): Promise<readonly string[]> {
  const { recovery_codes: codes } = await call('post', '/api/auth/recovery-codes');
  await readAgain(queries);
  return codes;
}

/** Has the browser make a passkey. Resolves to recovery codes when it is the first factor. */
export async function addPasskey(queries: QueryClient, name: string) {
  const { challenge_id, options } = await call('post', `${PASSKEYS}/registration-options`);
  const { startRegistration } = await import('@simplewebauthn/browser');
  const response = await startRegistration({
    optionsJSON: options as object as PublicKeyCredentialCreationOptionsJSON,
  });
  const { recovery_codes: codes } = await call('post', PASSKEYS, {
    body: { challenge_id, name, response: { ...response } },
  });
  await readAgain(queries);
  return codes;
}

export async function removePasskey(queries: QueryClient, id: string): Promise<void> {
  await call('delete', `${PASSKEYS}/{id}`, { params: { path: { id } } });
  await readAgain(queries);
}
