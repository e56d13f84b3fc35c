import { AppError } from '@junction/errors';
import {
  type CompactVerifyResult,
  compactVerify,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTVerifyGetKey,
} from 'jose';
import { SecurityEventRefusal } from '../../application/ending/security-event-refusal.js';

const SECOND_MS = 1_000;
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const JWKS_TIMEOUT_MS = 3_000;
const JWKS_COOLDOWN_MS = 10_000;
/** Seconds after which the sender may come back: keys that were fetched a moment ago may be fetched again by then. */
const RETRY_AFTER_S = JWKS_COOLDOWN_MS / SECOND_MS;
const JWKS_MAX_AGE_MS = 10 * 60_000;

/**
 * Keys of a provider. `coolingDown`: the keys were fetched a moment ago, and are not fetched again for an unknown
 * `kid`.
 */
export type EventKeys = JWTVerifyGetKey & { readonly coolingDown?: boolean };

/** Returns the keys of a provider's transmitter: fetched when first needed, and again for an unknown `kid`. */
export const eventKeys = (jwksUri: string, send: typeof fetch = fetch): EventKeys =>
  createRemoteJWKSet(new URL(jwksUri), {
    [customFetch]: send,
    timeoutDuration: JWKS_TIMEOUT_MS,
    cooldownDuration: JWKS_COOLDOWN_MS,
    cacheMaxAge: JWKS_MAX_AGE_MS,
  });

/**
 * Converts failures of a key lookup. Only an unknown `kid` is the token's fault: no key has this `kid`, and the keys
 * were fetched for this token. A refusal is final, and the signer may have got a new key since the keys were fetched
 * for another token. Several keys that fit are no failure.
 */
const reportingOutages =
  (keys: EventKeys): JWTVerifyGetKey =>
  async (header, token) => {
    const mayBeOld = keys.coolingDown === true;
    try {
      return await keys(header, token);
    } catch (cause) {
      if (cause instanceof errors.JWKSMultipleMatchingKeys) throw cause;
      const isTheTokens =
        (cause instanceof errors.JWKSNoMatchingKey && !mayBeOld) ||
        cause instanceof errors.JOSENotSupported;
      if (isTheTokens) throw refused('invalid_key', 'No key of ours signed this.', cause);
      throw new AppError(
        'keys_unavailable',
        'Events cannot be checked just now. Send it again in a moment.',
        { cause, retryAfterS: RETRY_AFTER_S },
      );
    }
  };

/** Verifies the signature of a token. Throws SecurityEventRefusal, or AppError `keys_unavailable`. */
export async function verifiedToken(token: string, keys: EventKeys): Promise<CompactVerifyResult> {
  try {
    return await verifiedBy(token, reportingOutages(keys));
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Tries each key that fits: some providers publish one twice, or two under one `kid` (RFC 7517, section 4.5). */
async function verifiedBy(token: string, keys: JWTVerifyGetKey): Promise<CompactVerifyResult> {
  const options = { algorithms: ALGORITHMS };
  try {
    return await compactVerify(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      const verified = await compactVerify(token, key, options).catch(() => undefined);
      if (verified) return verified;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return refused('authentication_failed', 'The signature is not good.', error);
  }
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) {
    return refused('invalid_key', `It must be signed by ${ALGORITHMS.join(', ')}.`, error);
  }
  if (!(error instanceof errors.JOSEError)) return error;
  return refused('invalid_request', 'The body is no security event token.', error);
}

export const refused = (
  err: SecurityEventRefusal['err'],
  message: string,
  cause?: unknown,
): SecurityEventRefusal => new SecurityEventRefusal(err, message, { cause });
