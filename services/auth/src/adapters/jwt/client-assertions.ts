import { createLocalJWKSet, decodeJwt, errors, type JSONWebKeySet, jwtVerify } from 'jose';
import type { ClientAssertions } from '../../application/client/ports.js';

/** Asymmetric alone: with a shared secret a client has client_secret_basic. */
const ALGORITHMS = ['EdDSA', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256'];
const CLOCK_TOLERANCE_S = 5;
const LIFE_MAX_S = 5 * 60;
const JTI_MAX = 200;
const SECOND_MS = 1_000;

export interface ClientAssertionsOptions {
  /** PUBLIC_URL. Assertions are for it, or for its token endpoint. */
  readonly issuer: string;
  readonly now: () => Date;
}

/** Assertions by which a client shows that it holds a private key (RFC 7523; OpenID Connect Core, section 9). */
export const clientAssertions = ({ issuer, now }: ClientAssertionsOptions): ClientAssertions => ({
  claimedClientId(jwt) {
    try {
      const { iss, sub } = decodeJwt(jwt);
      return iss === sub ? iss : undefined;
    } catch {
      return undefined;
    }
  },

  async verify(jwt, { clientId, jwks }) {
    const currentDate = now();
    const verified = await jwtVerify(jwt, createLocalJWKSet(jwks as JSONWebKeySet), {
      algorithms: ALGORITHMS,
      issuer: clientId,
      subject: clientId,
      audience: [issuer, new URL('/oauth/token', issuer).href],
      requiredClaims: ['exp', 'jti'],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate,
    }).catch((error: unknown) => {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    });
    if (verified === undefined) return undefined;
    const { exp = 0, jti = '' } = verified.payload;
    const leftS = exp - currentDate.getTime() / SECOND_MS;
    if (leftS > LIFE_MAX_S + CLOCK_TOLERANCE_S || jti === '' || jti.length > JTI_MAX) {
      return undefined;
    }
    const expiresAt = new Date((exp + CLOCK_TOLERANCE_S) * SECOND_MS);
    return { clientId, jti, expiresAt };
  },
});
