import { AppError } from '@junction/errors';
import { KeysUnavailable, type PublishedKeys } from '@junction/service/outbound';
import { type CompactVerifyResult, compactVerify, errors, type JWTVerifyGetKey } from 'jose';
import { SecurityEventRefusal } from '../../application/ending/security-event-refusal.js';

const SECOND_MS = 1_000;
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];

/**
 * Verifies the signature of a token. Throws SecurityEventRefusal, or AppError `keys_unavailable`. A refusal is final,
 * so that an unknown `kid` is the token's fault only when the keys were fetched for this token: the signer may have got
 * a new key since they were fetched for another.
 */
export async function verifiedToken(
  token: string,
  keys: PublishedKeys,
): Promise<CompactVerifyResult> {
  try {
    const verified = await keys.with(async ({ find }) => verifiedBy(token, find));
    if (verified) return verified;
  } catch (error) {
    throw refusalOf(error);
  }
  throw refused('invalid_key', 'No key of ours signed this.');
}

/**
 * Tries each key that fits: some providers publish one twice, or two under one `kid` (RFC 7517, section 4.5). Undefined
 * when none fits.
 */
async function verifiedBy(
  token: string,
  keys: JWTVerifyGetKey,
): Promise<CompactVerifyResult | undefined> {
  const options = { algorithms: ALGORITHMS };
  try {
    return await compactVerify(token, keys, options);
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return undefined;
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      const verified = await compactVerify(token, key, options).catch(() => undefined);
      if (verified) return verified;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof KeysUnavailable) {
    return new AppError(
      'keys_unavailable',
      'Events cannot be checked just now. Send it again in a moment.',
      { cause: error, retryAfterS: Math.ceil(error.retryAfterMs / SECOND_MS) },
    );
  }
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
