import { type ForeignIssuer, invalidToken, withForeignIssuers } from '@junction/service/callers';
import type { ForeignTokens } from '../../application/issuer/ports.js';

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
