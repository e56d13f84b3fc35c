import { foreignUserId } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import type { TrustedIssuer } from '../../process/config/trusted-issuers.js';
import {
  claimText,
  jwtClaims,
  numericDate,
  readToken,
  scopeText,
  unverifiedClaims,
} from '../claims.js';
import {
  type Claims,
  invalidToken,
  reportingOutages,
  scopesOf,
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
  return async (jwt) => (verifiers.get(unverifiedClaims(jwt)?.iss ?? '') ?? own)(jwt);
};

function verifier({ settings, keys }: ForeignIssuer): VerifyToken {
  const { issuer, audience, algorithms } = settings;
  const key = reportingOutages(keys);
  return async (jwt) => {
    try {
      const verified = await jwtVerify(jwt, key, {
        algorithms: [...algorithms],
        issuer,
        audience,
        requiredClaims: ['sub', 'exp'],
        clockTolerance: CLOCK_TOLERANCE_S,
      });
      const { header, claims } = readToken(foreignToken, verified);
      // RFC 9068 wants at+jwt; many issuers still say JWT, or nothing.
      const type = (header.typ ?? 'jwt').toLowerCase();
      if (!TOKEN_TYPES.includes(type)) throw invalidToken();
      return claimsOf(claims, settings);
    } catch (error) {
      throw error instanceof AppError ? error : invalidToken(error);
    }
  };
}

const foreignUser = jwtClaims.extend({ sub: claimText.max(SUBJECT_CHARS_MAX) });

/** RFC 9068 says `scope`, in one text; some issuers say `scp`, in one text or a list. */
const scopes = z.union([scopeText.transform(scopesOf), z.array(claimText)]).optional();
const foreignToken = foreignUser.extend({ exp: numericDate, scope: scopes, scp: scopes });

function claimsOf(claims: z.infer<typeof foreignToken>, settings: TrustedIssuer): Claims {
  const { exp, scope, scp } = claims;
  const found = scope ?? scp ?? [];
  if (!settings.requiredScopes.every((wanted) => found.includes(wanted))) throw invalidToken();
  const subject = foreignSubject(claims, settings);
  if (subject === undefined) throw invalidToken();
  const expiresAt = new Date(exp * 1_000);
  return { subject, issuerId: settings.id, isOperator: false, scopes: found, expiresAt };
}

/** Whom we take the user of these claims for: a UUID in lower case. Undefined when they name nobody. */
export function foreignSubject(
  claims: object,
  { issuer, userIdClaim }: Pick<TrustedIssuer, 'issuer' | 'userIdClaim'>,
): string | undefined {
  const { data: user } = foreignUser.safeParse(claims);
  if (user === undefined) return undefined;
  if (userIdClaim !== undefined) return uuid.safeParse(user[userIdClaim]).data;
  return foreignUserId(issuer, user.sub);
}
