import { createHash } from 'node:crypto';

/** Returns the stored form of a secret of 256 random bits. Slow hashing is for secrets that people think up. */
export const hashOfSecret = (secret: string): Buffer =>
  createHash('sha256').update(secret, 'utf8').digest();
