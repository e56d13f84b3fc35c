import { createHmac, type Hmac } from 'node:crypto';
import { serviceKey, standardKey } from './secret.js';

export interface ToSign {
  /** Exactly the bytes that are sent. */
  readonly body: Buffer;
  /** Newest first; several only while a rotation lasts; empty when the webhook has none. */
  readonly secrets: readonly string[];
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
  const { body, secrets, messageId } = attempt;
  const timestamp = String(Math.floor(attempt.timestamp.getTime() / 1_000));
  const [newest] = secrets;
  if (newest === undefined) return { 'webhook-id': messageId, 'webhook-timestamp': timestamp };
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'X-Service-Signature': `sha256=${serviceMac(body, newest).digest('hex')}`,
    'webhook-signature': secrets
      .map((secret) => `v1,${standardMac(body, messageId, timestamp, secret).digest('base64')}`)
      .join(' '),
  };
}

/** HMAC-SHA256 of the raw body. */
export const serviceMac = (body: Buffer, secret: string): Hmac =>
  createHmac('sha256', serviceKey(secret)).update(body);

/** HMAC-SHA256 of id, timestamp and body, joined by full stops. */
export const standardMac = (body: Buffer, id: string, timestamp: string, secret: string): Hmac =>
  createHmac('sha256', standardKey(secret)).update(`${id}.${timestamp}.`).update(body);
