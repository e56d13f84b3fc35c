import { createHmac, type Hmac } from 'node:crypto';
import type { SigningKeys } from './secret.js';

export interface ToSign {
  /** Exactly the bytes that are sent. */
  readonly body: Buffer;
  /** Of each secret, newest first; several only while a rotation lasts; empty when the webhook has none. */
  readonly keys: readonly SigningKeys[];
  /** msg_…: the same in every attempt. */
  readonly messageId: string;
  /** When this attempt is made. */
  readonly timestamp: Date;
}

/**
 * The headers of one attempt. X-Service-Signature knows one signature, so it carries the newest
 * secret's; webhook-signature carries one for each secret. Without a secret neither is there.
 */
export function signatureHeaders(attempt: ToSign): Record<string, string> {
  const { body, keys, messageId } = attempt;
  const timestamp = String(Math.floor(attempt.timestamp.getTime() / 1_000));
  const [newest] = keys;
  if (newest === undefined) return { 'webhook-id': messageId, 'webhook-timestamp': timestamp };
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'X-Service-Signature': `sha256=${serviceMac(body, newest).digest('hex')}`,
    'webhook-signature': keys
      .map((key) => `v1,${standardMac(body, messageId, timestamp, key).digest('base64')}`)
      .join(' '),
  };
}

/** HMAC-SHA256 of the raw body. */
export const serviceMac = (body: Buffer, { service }: SigningKeys): Hmac =>
  createHmac('sha256', service).update(body);

/** HMAC-SHA256 of id, timestamp and body, joined by full stops. */
export const standardMac = (
  body: Buffer,
  id: string,
  timestamp: string,
  { standard }: SigningKeys,
): Hmac => createHmac('sha256', standard).update(`${id}.${timestamp}.`).update(body);
