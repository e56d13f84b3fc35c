import { createPrivateKey, type JsonWebKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Product } from '@junction/demo';
import { keyRing, openWithRing } from '@junction/vault';
import { inAuth } from './auth-database.js';

/** Signs a genuine token anew, with other claims, as the installation itself would. */
export type Resign = (genuine: string, claims: object) => string;

/** Signs tokens with the keys of the installation, read from its database. */
export async function ownKeys(product: Product): Promise<Resign> {
  const secrets = JSON.parse(readFileSync(path.join(product.dataDir, 'secrets.json'), 'utf8')) as {
    vaults: { auth: string };
  };
  const ring = keyRing(secrets.vaults.auth);
  const rows = await inAuth<{ kid: string; sealed: Buffer }>(
    product,
    'select kid, private_jwk_sealed as sealed from signing_keys where private_jwk_sealed is not null',
  );
  const keys = new Map(
    rows.map(({ kid, sealed }) => {
      const jwk = openWithRing(ring, sealed, `signing_keys/private_jwk_sealed/${kid}`).toString();
      const key = createPrivateKey({ key: JSON.parse(jwk) as JsonWebKey, format: 'jwk' });
      return [kid, key] as const;
    }),
  );

  return (genuine, claims) => {
    const [header = ''] = genuine.split('.');
    const { kid } = decoded(header) as { kid: string };
    const key = keys.get(kid);
    if (key === undefined) throw new Error('The installation has no key that signed this token.');
    const payload = Buffer.from(JSON.stringify({ ...claimsOf(genuine), ...claims }));
    const signed = `${header}.${payload.toString('base64url')}`;
    return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
  };
}

export const claimsOf = (jwt: string): Readonly<Record<string, unknown>> =>
  decoded(jwt.split('.')[1] ?? '') as Readonly<Record<string, unknown>>;

const decoded = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
