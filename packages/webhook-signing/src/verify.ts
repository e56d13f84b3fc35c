import { timingSafeEqual, verify as verifyEd25519 } from 'node:crypto';
import { isWebhookEvent, type WebhookEvent } from './event.js';
import { type RequestHeaders, requiredHeader } from './request-headers.js';
import { signingKeys } from './secret.js';
import { serviceMac, signedContent, standardMac } from './sign.js';
import { type TrustedKeys, trustedKeys, type VerificationKeys } from './trusted-keys.js';
import { WebhookVerificationError } from './verification-error.js';

export interface VerifyOptions {
  /**
   * The webhook_id of your webhook, or several. Required with public keys: they verify what the service
   * sends to any webhook, and anybody may configure one that leads to you.
   */
  readonly webhookId?: string | readonly string[];
  /**
   * Seconds that an attempt may be old, or ahead of the clock: a captured request is worthless afterwards. Default:
   * 300.
   */
  readonly toleranceS?: number;
  /** Default: the clock. */
  readonly now?: Date;
}

const TOLERANCE_S = 300;
const SIGNATURES_MAX = 16;

/**
 * The event of a webhook request, when one of `keys` signed it (webhook-signature: v1 and v1a of
 * https://www.standardwebhooks.com) and its time is near. A repetition verifies again: drop what has a
 * webhook-id that you have seen.
 * @param rawBody as it came, before any parser.
 * @throws WebhookVerificationError for a request that is not to be believed, with a `code` that says why;
 *   TypeError for keys or options that can verify nothing.
 */
export function verify(
  rawBody: string | Uint8Array,
  headers: Headers | RequestHeaders,
  keys: VerificationKeys,
  options: VerifyOptions = {},
): WebhookEvent {
  return verifier(keys, options)(rawBody, headers);
}

export type Verifier = (
  rawBody: string | Uint8Array,
  headers: Headers | RequestHeaders,
) => WebhookEvent;

/** `verify` with what it needs beside the request; what is wrong about that is thrown here. */
export function verifier(keys: VerificationKeys, options: VerifyOptions): Verifier {
  const trusted = trustedKeys(keys);
  const { webhookId, toleranceS = TOLERANCE_S } = options;
  if (trusted.publicKeys.length > 0 && webhookId === undefined) {
    throw new TypeError(
      'Public keys verify what is sent to any webhook: say in options.webhookId which one is yours.',
    );
  }
  const webhookIds = typeof webhookId === 'string' ? [webhookId] : webhookId;

  return (rawBody, headers) => {
    const { now = new Date() } = options;
    const body = bytesOf(rawBody);
    const id = requiredHeader(headers, 'webhook-id');
    const timestamp = requiredHeader(headers, 'webhook-timestamp');
    const signatures = requiredHeader(headers, 'webhook-signature');
    checkTimestamp(timestamp, now, toleranceS);
    if (!isSigned({ body, id, timestamp }, signatures, trusted)) {
      throw new WebhookVerificationError(
        'no_matching_signature',
        'No signature in webhook-signature was made with a key of this receiver over this body.',
      );
    }
    const event = parsed(body);
    if (webhookIds === undefined || webhookIds.includes(event.webhook_id)) return event;
    throw new WebhookVerificationError(
      'wrong_webhook',
      'The event was sent to a webhook that is not of this receiver.',
    );
  };
}

/**
 * True when `header` (X-Service-Signature), or one of several that a proxy has joined, is the signature of exactly this
 * body. The comparison takes
 * as long for a wrong signature as for a right one. It binds no time: `verify` does.
 */
export function verifyServiceSignature(
  body: Uint8Array,
  header: string | undefined,
  secret: string,
): boolean {
  const wanted = serviceMac(body, signingKeys(secret)).digest();
  return (header ?? '').split(',', SIGNATURES_MAX).some((sent) => {
    const hex = /^sha256=([0-9a-f]{64})$/.exec(sent.trim())?.[1];
    return hex !== undefined && timingSafeEqual(Buffer.from(hex, 'hex'), wanted);
  });
}

function bytesOf(rawBody: string | Uint8Array): Buffer {
  if (typeof rawBody === 'string' || rawBody instanceof Uint8Array) return Buffer.from(rawBody);
  throw new TypeError(
    'The raw body is needed, as text or bytes: a parsed one has lost what was signed.',
  );
}

function checkTimestamp(timestamp: string, now: Date, toleranceS: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError(
      'invalid_timestamp',
      'webhook-timestamp is not a number of seconds.',
    );
  }
  const ageS = now.getTime() / 1_000 - Number(timestamp);
  if (Math.abs(ageS) <= toleranceS) return;
  const distance = `${Math.round(Math.abs(ageS))} s ${ageS > 0 ? 'old' : 'ahead'}`;
  throw new WebhookVerificationError(
    'timestamp_outside_tolerance',
    `webhook-timestamp is ${distance} and may be ${toleranceS} s off: is the clock right here?`,
  );
}

interface Signed {
  readonly body: Buffer;
  readonly id: string;
  readonly timestamp: string;
}

function isSigned({ body, id, timestamp }: Signed, header: string, trusted: TrustedKeys): boolean {
  // A proxy joins two headers by a comma.
  const signatures = (header.match(/v1a?,[^\s,]+/g) ?? []).slice(0, SIGNATURES_MAX);
  const ofVersion = (version: string) =>
    signatures
      .filter((signature) => signature.startsWith(version))
      .map((signature) => Buffer.from(signature.slice(version.length), 'base64'));

  const macs = ofVersion('v1,');
  const isMac = trusted.secrets.some((secret) => {
    const wanted = standardMac(body, id, timestamp, secret).digest();
    return macs.some((mac) => mac.length === wanted.length && timingSafeEqual(mac, wanted));
  });
  if (isMac) return true;

  const content = signedContent(body, id, timestamp);
  const made = ofVersion('v1a,');
  return trusted.publicKeys.some((key) =>
    made.some((signature) => verifyEd25519(null, content, key, signature)),
  );
}

function parsed(body: Buffer): WebhookEvent {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    value = undefined;
  }
  if (isWebhookEvent(value)) return value;
  throw new WebhookVerificationError(
    'invalid_payload',
    'The signature is right, but the body is not an event: event_type, user_id, data, timestamp, webhook_id.',
  );
}
