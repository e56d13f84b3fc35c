import {
  claimText,
  jwtClaims,
  numericDate,
  readToken,
  unverifiedClaims,
} from '@junction/service/callers';
import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose';
import { z } from 'zod';
import type { ClientAssertions } from '../../application/client/ports.js';

/** Asymmetric alone: with a shared secret a client has client_secret_basic. */
export const ASSERTION_ALGORITHMS = [
  'EdDSA',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
];
const CLOCK_TOLERANCE_S = 5;
const LIFE_MAX_S = 5 * 60;
const JTI_MAX = 200;
const SECOND_MS = 1_000;

export interface ClientAssertionsOptions {
  /** Assertions are for it, or for its token endpoint. */
  readonly publicUrl: string;
  readonly now: () => Date;
}

const assertion = jwtClaims.extend({ exp: numericDate, jti: claimText.max(JTI_MAX) });

/** Assertions by which a client shows that it holds a private key (RFC 7523; OpenID Connect Core, section 9). */
export const clientAssertions = ({
  publicUrl,
  now,
}: ClientAssertionsOptions): ClientAssertions => ({
  claimedClientId(jwt) {
    const { iss, sub } = unverifiedClaims(jwt) ?? {};
    return iss === sub ? iss : undefined;
  },

  async verify(jwt, { clientId, jwks }) {
    const currentDate = now();
    const claims = await jwtVerify(jwt, createLocalJWKSet(jwks as JSONWebKeySet), {
      algorithms: ASSERTION_ALGORITHMS,
      issuer: clientId,
      subject: clientId,
      audience: [publicUrl, new URL('/oauth/token', publicUrl).href],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate,
    })
      .then((verified) => readToken(assertion, verified).claims)
      .catch((error: unknown) => {
        if (error instanceof errors.JOSEError || error instanceof z.ZodError) return undefined;
        throw error;
      });
    if (claims === undefined) return undefined;
    const { exp, jti } = claims;
    const leftS = exp - currentDate.getTime() / SECOND_MS;
    if (leftS > LIFE_MAX_S + CLOCK_TOLERANCE_S) return undefined;
    const expiresAt = new Date((exp + CLOCK_TOLERANCE_S) * SECOND_MS);
    return { clientId, jti, expiresAt };
  },
});
