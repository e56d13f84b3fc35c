import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.js';
import type { Answer, SecondFactors } from '../api/types.js';
import { sessionQuery } from '../session/session.js';

const TOTP = '/api/auth/totp';
const PASSKEYS = '/api/auth/passkeys';
const RECOVERY_CODES = '/api/auth/recovery-codes';

export const factorsQuery = queryOptions({
  queryKey: ['account', 'second-factors'],
  queryFn: ({ signal }) => call<SecondFactors>('GET', '/api/auth/second-factors', { signal }),
});

/** The first factor ends other sessions, so everything about the account is read again. */
const readAgain = (queries: QueryClient) =>
  Promise.all([
    queries.invalidateQueries({ queryKey: ['account'] }),
    queries.invalidateQueries(sessionQuery),
  ]);

export type OfferedTotp = Answer<typeof TOTP, 'post'>;

export const offerTotp = () => call<OfferedTotp>('POST', TOTP, { body: {} });

/** The first factor comes with recovery codes. */
type Added = Answer<'/api/auth/totp/confirm', 'post'>;

export async function confirmTotp(queries: QueryClient, code: string) {
  const { recovery_codes: codes } = await call<Added>('POST', `${TOTP}/confirm`, {
    body: { code },
  });
  await readAgain(queries);
  return codes;
}

export async function removeTotp(queries: QueryClient): Promise<void> {
  await call('DELETE', TOTP);
  await readAgain(queries);
}

/** The codes before these are refused from then on. */
export async function newRecoveryCodes(queries: QueryClient): Promise<readonly string[]> {
  const { recovery_codes: codes } = await call<Answer<typeof RECOVERY_CODES, 'post'>>(
    'POST',
    RECOVERY_CODES,
    { body: {} },
  );
  await readAgain(queries);
  return codes;
}

interface Challenge {
  readonly challenge_id: string;
  readonly options: PublicKeyCredentialCreationOptionsJSON;
}

/** Has the browser make a passkey. Resolves to recovery codes when it is the first factor. */
export async function addPasskey(queries: QueryClient, name: string) {
  const { challenge_id, options } = await call<Challenge>(
    'POST',
    `${PASSKEYS}/registration-options`,
    { body: {} },
  );
  const { startRegistration } = await import('@simplewebauthn/browser');
  const response = await startRegistration({ optionsJSON: options });
  const { recovery_codes: codes } = await call<Added>('POST', PASSKEYS, {
    body: { challenge_id, name, response },
  });
  await readAgain(queries);
  return codes;
}

export async function removePasskey(queries: QueryClient, id: string): Promise<void> {
  await call('DELETE', `${PASSKEYS}/${encodeURIComponent(id)}`);
  await readAgain(queries);
}
