import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { JWK } from 'oidc-provider';

export interface ProviderKeys {
  /** Signs id tokens: RS256, the one algorithm that every OpenID client knows. */
  readonly signing: JWK;
  /** Signs no more. Published still, so that what it signed can be checked. */
  readonly previous?: JWK;
  /** Signs cookies. */
  readonly cookie: string;
}

export const generateKeys = async (): Promise<ProviderKeys> => ({
  signing: await generateSigningKey(),
  cookie: randomBytes(32).toString('base64url'),
});

/** A new key signs, and the one that signed before is the previous one. */
export const rotateKeys = async ({ signing, cookie }: ProviderKeys): Promise<ProviderKeys> => ({
  signing: await generateSigningKey(),
  previous: signing,
  cookie,
});

async function generateSigningKey(): Promise<JWK> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' };
}
