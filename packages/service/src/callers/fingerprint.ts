import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Returns the id of a row: the caller, the request and the key. The parts are joined so that none can pose as another.
 */
export const idempotencyId = (
  callerId: string,
  method: string,
  path: string,
  key: string,
): string =>
  createHash('sha256')
    .update(JSON.stringify([callerId, method, path, key]))
    .digest('hex');

/** Returns the keyed hash of a body. Without the key nobody can test a guess against a stored body. */
export const fingerprint = (hashKey: Buffer, body: Buffer): Buffer =>
  createHmac('sha256', hashKey).update(body).digest();

export const sameFingerprint = (a: Buffer, b: Buffer): boolean =>
  a.length === b.length && timingSafeEqual(a, b);
