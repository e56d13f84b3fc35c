import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { objectIn } from './answer-text.js';

const RSA_BITS_MIN = 2_048;

/** A private key that our client proves itself with (private_key_jwt, RFC 7523). */
export interface ClientKey {
  readonly key: KeyObject;
  /** RFC 7518, section 3.1. */
  readonly alg: string;
  /** Name by which the provider knows the key. */
  readonly kid: string | undefined;
}

const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};
const RSA_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];

/** Reads the key in a file: PEM, or a JWK, whose `kid` and `alg` count. Undefined when the file holds no usable key. */
export function clientKeyIn(text: string): ClientKey | undefined {
  const jwk: JsonWebKey | undefined = objectIn(text);
  const key = privateKey(jwk ? { key: jwk, format: 'jwk' } : text);
  if (key === undefined) return undefined;
  const alg = algorithmOf(key, jwk?.['alg']);
  if (alg === undefined) return undefined;
  const kid = jwk?.['kid'];
  return { key, alg, kid: typeof kid === 'string' ? kid : undefined };
}

function privateKey(input: Parameters<typeof createPrivateKey>[0]): KeyObject | undefined {
  try {
    return createPrivateKey(input);
  } catch {
    return undefined;
  }
}

function algorithmOf(
  { asymmetricKeyType: type, asymmetricKeyDetails: details = {} }: KeyObject,
  named: unknown = 'RS256',
): string | undefined {
  if (type === 'ec') return CURVES[details.namedCurve ?? ''];
  const isLong = type === 'rsa' && (details.modulusLength ?? 0) >= RSA_BITS_MIN;
  return isLong ? RSA_ALGORITHMS.find((alg) => alg === named) : undefined;
}
