import { timingSafeEqual } from 'node:crypto';
import { signingKeys } from './secret.js';
import { serviceMac, standardMac } from './sign.js';

/** As Node has them: names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface StandardWebhook {
  /** The body as it came, before any parser. */
  readonly body: Buffer;
  readonly headers: RequestHeaders;
  readonly secret: string;
  readonly now: Date;
  /** How old, or how far ahead, the attempt may be: a captured request is worthless afterwards. */
  readonly toleranceS?: number;
}

const TOLERANCE_S = 300;
const SIGNATURES_MAX = 16;

/**
 * True when `header` (X-Service-Signature) is the signature of exactly this body. The comparison takes
 * as long for a wrong signature as for a right one. A repeated delivery verifies again: drop it by its
 * webhook-id.
 */
export function verifyServiceSignature(
  body: Buffer,
  header: string | undefined,
  secret: string,
): boolean {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(header ?? '')?.[1];
  if (hex === undefined) return false;
  return timingSafeEqual(Buffer.from(hex, 'hex'), serviceMac(body, signingKeys(secret)).digest());
}

/**
 * True when one of the signatures in webhook-signature is right and webhook-timestamp is near `now`:
 * https://www.standardwebhooks.com. Any library of that name does the same.
 */
export function verifyStandardWebhook(request: StandardWebhook): boolean {
  const { body, headers, secret, now, toleranceS = TOLERANCE_S } = request;
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => headers[name],
  );
  if (typeof id !== 'string' || typeof signatures !== 'string') return false;
  if (typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > toleranceS) return false;

  const wanted = standardMac(body, id, timestamp, signingKeys(secret)).digest();
  return signatures
    .split(' ', SIGNATURES_MAX)
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice('v1,'.length), 'base64'))
    .some((mac) => mac.length === wanted.length && timingSafeEqual(mac, wanted));
}
