import { randomUUID } from 'node:crypto';
import { PORTAL_AUDIENCE } from '@junction/service/callers';
import { type JWTPayload, SignJWT } from 'jose';
import type { AccessTokens } from '../../application/ports.js';
import { ALGORITHM, type SigningKeys } from './signing-keys.js';

const SECOND_MS = 1_000;

export const USER_AUDIENCE = 'junction-api';

export interface AccessTokenOptions {
  readonly keys: SigningKeys;
  /** Issuer of the tokens. */
  readonly publicUrl: string;
  readonly accessTokenTtlS: number;
  readonly now: () => Date;
  /** Tokens of users whose address is not verified say so, and what takes them may refuse. */
  readonly requireVerifiedEmail: boolean;
}

/** JWT access tokens in the profile of RFC 9068. `sid` is the session whose end ends the token. */
export function accessTokens(options: AccessTokenOptions): AccessTokens {
  const { keys, publicUrl, accessTokenTtlS: lifetimeS, now, requireVerifiedEmail } = options;

  const sign = async (
    subject: string,
    audience: string,
    claims: JWTPayload,
    livesS = lifetimeS,
  ) => {
    const { kid, privateKey } = keys.current();
    const issuedAtS = secondsOf(now());
    return new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, typ: 'at+jwt', kid })
      .setIssuer(publicUrl)
      .setSubject(subject)
      .setAudience(audience)
      .setJti(randomUUID())
      .setIssuedAt(issuedAtS)
      .setExpirationTime(issuedAtS + livesS)
      .sign(privateKey);
  };

  return {
    lifetimeS,
    forUser: async ({ userId, sessionId, role, isUnverified, authenticatedAt, proof }) =>
      sign(userId, USER_AUDIENCE, {
        sid: sessionId,
        ...(role === 'operator' && { role }),
        ...(requireVerifiedEmail && isUnverified && { email_verified: false }),
        ...(authenticatedAt && { auth_time: secondsOf(authenticatedAt) }),
        ...(proof && { amr: [...proof.amr], mfa_at: secondsOf(proof.provedAt) }),
      }),
    forService: async ({ clientId, audience, scopes }) =>
      sign(clientId, audience, { client_id: clientId, scope: scopes.join(' ') }),
    forPortal: async ({ userId, clientId, portalId, scopes, lifetimeS: livesS }) => {
      const claims = { client_id: clientId, portal_id: portalId, scope: scopes.join(' ') };
      return sign(userId, PORTAL_AUDIENCE, claims, livesS);
    },
  };
}

const secondsOf = (moment: Date): number => Math.floor(moment.getTime() / SECOND_MS);
