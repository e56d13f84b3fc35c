import { foreignUserId } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { decodeJwt, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import type { TrustedIssuer } from '../../process/config/trusted-issuers.js';
import {
  type Claims,
  invalidToken,
  reportingOutages,
  type VerifyToken,
} from '../token-verifier.js';

const CLOCK_TOLERANCE_S = 5;
const SUBJECT_CHARS_MAX = 255;
const TOKEN_TYPES = ['at+jwt', 'application/at+jwt', 'jwt'];

const uuid = z.uuid().transform((id) => id.toLowerCase());

/** Whose keys may sign, and what they must say. */
export interface ForeignIssuer {
  readonly settings: TrustedIssuer;
  readonly keys: JWTVerifyGetKey;
}

/**
 * Checks the access tokens of trusted issuers, and leaves all others to `own`. Which issuer is meant is read
 * before the signature is checked, and decides no more than by whose keys and rules: a token that
 * names another issuer than the one that signed it fails there.
 */
export const withForeignIssuers = (
  own: VerifyToken,
  issuers: readonly ForeignIssuer[],
): VerifyToken => {
  const verifiers = new Map(issuers.map((issuer) => [issuer.settings.issuer, verifier(issuer)]));
  if (verifiers.size === 0) return own;
  return async (jwt) => (verifiers.get(claimedIssuer(jwt)) ?? own)(jwt);
};

function claimedIssuer(jwt: string): string {
  try {
    return decodeJwt(jwt).iss ?? '';
  } catch {
    return '';
  }
}

function verifier({ settings, keys }: ForeignIssuer): VerifyToken {
  const { issuer, audience, algorithms } = settings;
  const key = reportingOutages(keys);
  return async (jwt) => {
    const { payload, protectedHeader } = await jwtVerify(jwt, key, {
      algorithms: [...algorithms],
      issuer,
      audience,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: CLOCK_TOLERANCE_S,
    }).catch((error: unknown) => {
      throw error instanceof AppError ? error : invalidToken(error);
    });
    // RFC 9068 wants at+jwt; many issuers still say JWT, or nothing.
    const type = (protectedHeader.typ ?? 'jwt').toLowerCase();
    if (!TOKEN_TYPES.includes(type)) throw invalidToken();
    return claimsOf(payload, settings);
  };
}

function claimsOf(payload: JWTPayload, settings: TrustedIssuer): Claims {
  const scopes = scopesIn(payload);
  if (!settings.requiredScopes.every((scope) => scopes.includes(scope))) throw invalidToken();
  const expiresAt = new Date((payload.exp ?? 0) * 1_000);
  const subject = foreignSubject(payload, settings);
  if (subject === undefined) throw invalidToken();
  return { subject, issuerId: settings.id, isOperator: false, scopes, expiresAt };
}

/** Whom we take the user of these claims for: a UUID in lower case. Undefined when they name nobody. */
export function foreignSubject(
  { sub = '', ...payload }: JWTPayload,
  { issuer, userIdClaim }: Pick<TrustedIssuer, 'issuer' | 'userIdClaim'>,
): string | undefined {
  if (userIdClaim === 'sub') return uuid.safeParse(sub).data;
  if (userIdClaim !== undefined) return uuid.safeParse(payload[userIdClaim]).data;
  const isName = sub !== '' && sub.length <= SUBJECT_CHARS_MAX;
  return isName ? foreignUserId(issuer, sub) : undefined;
}

/** RFC 9068 says `scope`, in one text; some issuers say `scp`, in one text or a list. */
function scopesIn({ scope, scp }: JWTPayload): readonly string[] {
  const found = scope ?? scp;
  if (typeof found === 'string') return found.split(' ').filter((word) => word !== '');
  return Array.isArray(found) ? found.filter((word) => typeof word === 'string') : [];
}
