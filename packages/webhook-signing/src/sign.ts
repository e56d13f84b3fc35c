import { createHmac, type Hmac, type KeyObject, sign } from 'node:crypto';
import type { SigningKeys } from './secret.js';

export interface ToSign {
  /** Exactly the bytes that are sent. */
  readonly body: Buffer;
  /**
   * Keys of the webhook's secrets, newest first: several only during a rotation, none when the webhook has no secret.
   */
  readonly keys: readonly SigningKeys[];
  /** Private keys (ed25519), newest first: several only during a rotation. Default: none. */
  readonly privateKeys?: readonly KeyObject[] | undefined;
  /** Id of the message (msg_…): the same in every attempt. */
  readonly messageId: string;
  /** Time of this attempt. */
  readonly timestamp: Date;
}

/**
 * The headers of one attempt. X-Service-Signature knows one signature, so it carries the newest
 * secret's; webhook-signature carries one for each private key (v1a) and for each secret (v1). What
 * nothing signs is not there.
 */
export function signatureHeaders(attempt: ToSign): Record<string, string> {
  const { body, keys, privateKeys = [], messageId } = attempt;
  const timestamp = String(Math.floor(attempt.timestamp.getTime() / 1_000));
  const headers: Record<string, string> = {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
  };
  const [newest] = keys;
  if (newest !== undefined) {
    headers['X-Service-Signature'] = `sha256=${serviceMac(body, newest).digest('hex')}`;
  }
  const signatures = keys.map(
    (key) => `v1,${standardMac(body, messageId, timestamp, key).digest('base64')}`,
  );
  if (privateKeys.length > 0) {
    const content = signedContent(body, messageId, timestamp);
    const made = privateKeys.map((key) => `v1a,${sign(null, content, key).toString('base64')}`);
    signatures.unshift(...made);
  }
  if (signatures.length > 0) headers['webhook-signature'] = signatures.join(' ');
  return headers;
}

/** HMAC-SHA256 of the raw body. */
export const serviceMac = (body: Uint8Array, { service }: SigningKeys): Hmac =>
  createHmac('sha256', service).update(body);

/** HMAC-SHA256 of id, timestamp and body, joined by full stops. */
export const standardMac = (
  body: Uint8Array,
  id: string,
  timestamp: string,
  { standard }: SigningKeys,
): Hmac => createHmac('sha256', standard).update(`${id}.${timestamp}.`).update(body);

/** Returns the content that `standardMac` signs, in one piece, because ed25519 reads the bytes twice. */
export const signedContent = (body: Uint8Array, id: string, timestamp: string): Buffer =>
  Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
