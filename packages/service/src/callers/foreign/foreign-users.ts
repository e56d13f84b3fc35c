import { foreignUserId } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { jwtVerify } from 'jose';
import { z } from 'zod';
import { keyOf, type PublishedKeys } from '../../outbound/published-keys.js';
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
  momentOf,
  reportingOutages,
  scopesOf,
  timeOf,
  type VerifyToken,
} from '../token-verifier.js';

const CLOCK_TOLERANCE_S = 5;
const SUBJECT_CHARS_MAX = 255;
const TOKEN_TYPES = ['at+jwt', 'application/at+jwt', 'jwt'];

const uuid = z.uuid().transform((id) => id.toLowerCase());

/** Trusted issuer: the keys that may sign its tokens, and the rules for their claims. */
export interface ForeignIssuer {
  readonly settings: TrustedIssuer;
  readonly keys: PublishedKeys;
}

/**
 * Checks the access tokens of trusted issuers, and leaves all others to `own`. The issuer is read before the signature
 * is checked, and decides only which keys and rules apply: a token that names another issuer than its signer fails with
 * these.
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
  const key = reportingOutages(keyOf(keys));
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
      // RFC 9068 requires at+jwt; many issuers still send JWT, or no type.
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
const foreignToken = foreignUser.extend({
  exp: numericDate,
  // Some issuers send text, or nothing, in its place: that shows no sign-in, and is no reason to refuse the token.
  auth_time: numericDate.optional().catch(undefined),
  scope: scopes,
  scp: scopes,
});

function claimsOf(claims: z.infer<typeof foreignToken>, settings: TrustedIssuer): Claims {
  const { exp, auth_time, scope, scp } = claims;
  const found = scope ?? scp ?? [];
  if (!settings.requiredScopes.every((wanted) => found.includes(wanted))) throw invalidToken();
  const subject = foreignSubject(claims, settings);
  if (subject === undefined) throw invalidToken();
  const times = { expiresAt: timeOf(exp), authenticatedAt: momentOf(auth_time) };
  return { subject, issuerId: settings.id, isOperator: false, scopes: found, ...times };
}

/** Returns the user id for these claims: a UUID in lower case. Undefined when the claims name no user. */
export function foreignSubject(
  claims: object,
  { issuer, userIdClaim }: Pick<TrustedIssuer, 'issuer' | 'userIdClaim'>,
): string | undefined {
  const { data: user } = foreignUser.safeParse(claims);
  if (user === undefined) return undefined;
  if (userIdClaim !== undefined) return uuid.safeParse(user[userIdClaim]).data;
  return foreignUserId(issuer, user.sub);
}
