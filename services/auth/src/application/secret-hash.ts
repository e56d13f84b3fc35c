import { createHash } from 'node:crypto';

/** What is stored of a secret of 256 random bits. Slow hashing is for what people think up. */
export const hashOfSecret = (secret: string): Buffer =>
  createHash('sha256').update(secret, 'utf8').digest();
