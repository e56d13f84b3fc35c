import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { JWK } from 'oidc-provider';

export interface ProviderKeys {
  /** Signs id tokens: RS256, the one algorithm that every OpenID client knows. */
  readonly signing: JWK;
  /** Signs cookies. */
  readonly cookie: string;
}

export async function generateKeys(): Promise<ProviderKeys> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  const signing: JWK = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' };
  return { signing, cookie: randomBytes(32).toString('base64url') };
}
