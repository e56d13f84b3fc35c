import { type ForeignIssuer, invalidToken, withForeignIssuers } from '@junction/service/callers';
import { KeysUnavailable } from '@junction/service/outbound';
import type { ForeignTokens, TrustedIssuers } from '../../application/issuer/ports.js';

/** Tokens of TRUSTED_ISSUERS_FILE's issuers, and no others. */
export function foreignTokens(issuers: readonly ForeignIssuer[]): ForeignTokens {
  const verify = withForeignIssuers(async () => {
    throw invalidToken();
  }, issuers);
  return async (accessToken) => {
    const { subject: userId, issuerId: origin } = await verify(accessToken);
    if (origin === undefined) throw invalidToken();
    return { userId, origin };
  };
}

/** The issuers of TRUSTED_ISSUERS_FILE, each asked by reading its keys. Keys of the last seconds are an answer too. */
export const trustedIssuers = (issuers: readonly ForeignIssuer[]): TrustedIssuers =>
  new Map(
    issuers.map(({ settings, keys }) => {
      const ask = async () => keys.with(async () => undefined).catch(unlessJustFetched);
      return [settings.id, { ask }];
    }),
  );

function unlessJustFetched(error: unknown): undefined {
  if (error instanceof KeysUnavailable && error.reason === 'just_fetched') return undefined;
  throw error;
}
