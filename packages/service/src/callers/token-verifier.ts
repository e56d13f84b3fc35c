import { AppError } from '@junction/errors';
import { errors, type JWTVerifyGetKey, type JWTVerifyResult, jwtVerify } from 'jose';
import { z } from 'zod';
import { isExpired } from '../errors/token-fault.js';
import { keyOf, type PublishedKeysOptions, publishedKeys } from '../outbound/published-keys.js';
import { claimText, jwtClaims, numericDate, readToken, scopeText } from './claims.js';
import { rememberTokens } from './remembered-tokens.js';

/** Claims of a verified access token. */
export interface Claims {
  /** `sub`: the user's id, or the client's for a service. */
  readonly subject: string;
  /** `sid`, in user tokens of our own. */
  readonly sessionId?: string;
  /** Id of the trusted issuer that issued the token; absent when the token is our own. */
  readonly issuerId?: string;
  /** `role`: the user is an operator of the installation. */
  readonly isOperator: boolean;
  /**
   * Whether `email_verified` (OpenID Connect Core, section 5.1) is false: the user has not shown yet that mails to the
   * address reach them, and this installation requires that first.
   */
  readonly isUnverified?: boolean;
  /** `client_id`, in service tokens and in those of portals. */
  readonly clientId?: string;
  /** `portal_id`, in tokens of portals: the portal whose end ends the token. */
  readonly portalId?: string | undefined;
  readonly scopes: readonly string[];
  /** `mfa_at`: the time at which a user with a second factor showed it last. */
  readonly mfaAt?: Date | undefined;
  /**
   * `auth_time` (RFC 9068, section 2.2.1): when the user signed in, or showed who they are again. A trusted issuer may
   * leave it out.
   */
  readonly authenticatedAt?: Date | undefined;
  /** `exp`. */
  readonly expiresAt: Date;
}

export type VerifyToken = (jwt: string) => Promise<Claims>;

export interface TokenVerifierOptions {
  /** `remoteKeys`; or, in auth itself, its own. */
  readonly keys: JWTVerifyGetKey;
  readonly issuer: string;
  /** `junction-api` for users; `junction-portal` for portals; the service's own name for services. */
  readonly audience: string;
  readonly kind: keyof typeof CLAIMS;
}

/** Time for which auth lets its keys be cached. */
const FRESH_MS = 5 * 60_000;
/** Time for which the last keys serve on without auth: a token that was good when auth went has expired by then. */
const OLD_MS = 10 * 60_000;
const CLOCK_TOLERANCE_S = 5;
const TOKEN_CHARS_MAX = 4_096;

/**
 * Checks an access token (RFC 9068): signature by EdDSA only, typ at+jwt, iss, aud, exp. A bad token is AppError
 * `unauthenticated`/`invalid_token`. Without the keys nothing can say whether the token is good, so that is
 * `unavailable`, and never a 401 that signs the user out. A service's token is checked once a minute.
 */
export function tokenVerifier(options: TokenVerifierOptions): VerifyToken {
  const verify = verifier(options);
  return options.kind === 'service' ? rememberTokens(verify) : verify;
}

function verifier({ keys, issuer, audience, kind }: TokenVerifierOptions): VerifyToken {
  const key = reportingOutages(keys);

  return async (jwt) => {
    if (jwt.length > TOKEN_CHARS_MAX) throw invalidToken();
    try {
      const verified = await jwtVerify(jwt, key, {
        algorithms: ['EdDSA'],
        typ: 'at+jwt',
        issuer,
        audience,
        clockTolerance: CLOCK_TOLERANCE_S,
      });
      return CLAIMS[kind](verified);
    } catch (error) {
      throw error instanceof AppError ? error : invalidToken(error);
    }
  };
}

/** Keys that auth publishes. `have` fetches them if they were never had, and rejects when they cannot be had. */
export type RemoteKeys = JWTVerifyGetKey & { readonly have: () => Promise<void> };

/**
 * Returns the set of keys that all verifiers of a process use. The keys are fetched when first needed, and again for an
 * unknown `kid`.
 */
export function remoteKeys(
  jwksUrl: string,
  { nowMs }: Pick<PublishedKeysOptions, 'nowMs'> = {},
): RemoteKeys {
  const published = publishedKeys({
    url: async () => jwksUrl,
    freshMsMax: FRESH_MS,
    oldMsMax: OLD_MS,
    ...(nowMs && { nowMs }),
  });
  const have = async () => void (await published.with(async () => true));
  return Object.assign(keyOf(published), { have });
}

/** Reports failures of a key lookup as outages. Only an unknown and an ambiguous `kid` are the token's fault. */
export const reportingOutages =
  (keys: JWTVerifyGetKey): JWTVerifyGetKey =>
  async (header, token) => {
    try {
      return await keys(header, token);
    } catch (cause) {
      const isTheTokens =
        cause instanceof errors.JWKSNoMatchingKey ||
        cause instanceof errors.JWKSMultipleMatchingKeys ||
        cause instanceof errors.JOSENotSupported;
      if (isTheTokens) throw invalidToken(cause);
      throw new AppError(
        'keys_unavailable',
        'Tokens cannot be checked just now. Try again in a moment.',
        { cause, retryAfterS: 5 },
      );
    }
  };

const required = { sub: claimText, exp: numericDate };
const absent = z.undefined().optional();

const userToken = jwtClaims.extend({
  ...required,
  sid: claimText,
  client_id: absent,
  scope: scopeText.optional(),
  role: claimText.optional(),
  email_verified: z.boolean().optional(),
  amr: z.array(claimText).optional(),
  mfa_at: numericDate.optional(),
  auth_time: numericDate.optional(),
});

const clientToken = jwtClaims.extend({
  ...required,
  sid: absent,
  client_id: claimText,
  portal_id: claimText.optional(),
  scope: scopeText.optional(),
});

function userClaims(token: JWTVerifyResult): Claims {
  const { sub, sid, scope, role, email_verified, exp, mfa_at, auth_time } = readToken(
    userToken,
    token,
  ).claims;
  const states = { isOperator: role === 'operator', isUnverified: email_verified === false };
  const times = {
    expiresAt: timeOf(exp),
    mfaAt: momentOf(mfa_at),
    authenticatedAt: momentOf(auth_time),
  };
  return { subject: sub, sessionId: sid, ...states, scopes: scopesOf(scope), ...times };
}

function clientClaims(token: JWTVerifyResult): Claims {
  const { sub, client_id, portal_id, scope, exp } = readToken(clientToken, token).claims;
  const claims = { subject: sub, clientId: client_id, portalId: portal_id, isOperator: false };
  return { ...claims, scopes: scopesOf(scope), expiresAt: timeOf(exp) };
}

/** The subject of a portal's token is a user, for whom the client has opened it. */
const CLAIMS = { user: userClaims, service: clientClaims, portal: clientClaims };

export const timeOf = (seconds: number): Date => new Date(seconds * 1_000);

export const momentOf = (seconds: number | undefined): Date | undefined =>
  seconds === undefined ? undefined : timeOf(seconds);

/** Returns the words of `scope` (RFC 6749, section 3.3). */
export const scopesOf = (scope = ''): readonly string[] =>
  scope.split(' ').filter((word) => word !== '');

/**
 * Returns the refusal of a token, with the same text for every reason but expiry: the name of the failed check helps
 * only a forger. Expiry may be named, because only a genuine token can expire: claims are checked after the signature.
 */
export const invalidToken = (cause?: unknown): AppError =>
  new AppError(
    'invalid_token',
    isExpired(cause)
      ? 'The access token has expired. Refresh it, or sign in again.'
      : 'The access token or API key is not valid. Sign in again.',
    { cause },
  );
