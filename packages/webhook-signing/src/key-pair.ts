import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';

const PRIVATE_PREFIX = 'whsk_';
const PUBLIC_PREFIX = 'whpk_';
const HALF_BYTES = 32;

/** Private key that signs with ed25519 (RFC 8032), and the public key with which receivers verify. */
export interface KeyPair {
  readonly privateKey: KeyObject;
  /** `whpk_` and the base64 of the 32 bytes. */
  readonly publicKey: string;
}

/**
 * A new private key: `whsk_` and the base64 of its 32 bytes and of the 32 of its public key, as Standard
 * Webhooks and its libraries write it. It is a secret.
 */
export function newSigningKey(): string {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return PRIVATE_PREFIX + Buffer.concat([fromUrl(d), fromUrl(x)]).toString('base64');
}

/** @throws TypeError when that is no private key: both halves, and the second made from the first. */
export function keyPair(signingKey: string): KeyPair {
  const bytes = decoded(signingKey, PRIVATE_PREFIX, 2 * HALF_BYTES);
  if (bytes !== undefined) {
    const [d, x] = [bytes.subarray(0, HALF_BYTES), bytes.subarray(HALF_BYTES)];
    const privateKey = createPrivateKey({
      key: { kty: 'OKP', crv: 'Ed25519', d: d.toString('base64url'), x: x.toString('base64url') },
      format: 'jwk',
    });
    // Node makes the public half anew and looks at no other: one that does not belong would be published.
    const { x: own } = createPublicKey(privateKey).export({ format: 'jwk' });
    if (own === x.toString('base64url')) {
      return { privateKey, publicKey: PUBLIC_PREFIX + x.toString('base64') };
    }
  }
  throw new TypeError('A signing key is whsk_ and the base64 of 64 bytes: seed and public key.');
}

export const isPublicKey = (key: string): boolean => key.startsWith(PUBLIC_PREFIX);

export const isPrivateKey = (key: string): boolean => key.startsWith(PRIVATE_PREFIX);

/** Decodes a `whpk_` key; undefined when it is not the base64 of 32 bytes. */
export function publicKeyObject(key: string): KeyObject | undefined {
  const x = decoded(key, PUBLIC_PREFIX, HALF_BYTES)?.toString('base64url');
  if (x === undefined) return undefined;
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

function decoded(text: string, prefix: string, length: number): Buffer | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const bytes = Buffer.from(text.slice(prefix.length), 'base64');
  const isWhole = bytes.length === length && bytes.toString('base64') === text.slice(prefix.length);
  return isWhole ? bytes : undefined;
}

const fromUrl = (text: string): Buffer => Buffer.from(text, 'base64url');
