import { SERVICES } from '@junction/contracts';
import { z } from 'zod';
import type { Client } from './client/ports.js';

const ACCOUNTS_MAX = 1_000;
const KEYS_MAX = 5;
/** RFC 7518, sections 6.2.2 and 6.3.2. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const scope = z.string().regex(/^[a-z]+:[a-z]+$/, 'must look like tokens:read');

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits');

/** Public keys alone: a private member would be a secret in a file that is none. */
export const publicKeys = z.strictObject({
  keys: z
    .array(
      z
        .record(z.string(), z.unknown())
        .refine(
          (key) => key['kty'] !== 'oct' && !PRIVATE_MEMBERS.some((member) => member in key),
          'must be a public key, without private members',
        ),
    )
    .min(1)
    .max(KEYS_MAX),
});

export const grants = z
  .array(z.strictObject({ audience: z.enum(SERVICES), scopes: z.array(scope).min(1).max(20) }))
  .min(1)
  .max(SERVICES.length)
  .refine(
    (grants) => new Set(grants.map(({ audience }) => audience)).size === grants.length,
    'must name each audience once',
  );

export const clientName = z.string().min(1).max(100);

const account = z
  .strictObject({
    client_id: z
      .string()
      .regex(/^cli_[0-9a-z_-]{1,64}$/, 'must be cli_ and lower-case letters, digits, _ or -'),
    name: clientName,
    // Several while a secret is replaced: the new one beside those that are still in use.
    secret_sha256: z.union([sha256, z.array(sha256).min(1).max(KEYS_MAX)]).optional(),
    jwks: publicKeys.optional(),
    grants,
  })
  .refine(
    ({ secret_sha256: secret, jwks }) => secret !== undefined || jwks !== undefined,
    'must have secret_sha256 or jwks',
  );

/** The file of service accounts: who may ask for a token, for which service, to do what. */
export const serviceAccountsFile = z
  .array(account)
  .max(ACCOUNTS_MAX)
  .refine(
    (accounts) => new Set(accounts.map((one) => one.client_id)).size === accounts.length,
    'must name each client_id once',
  );

export type ServiceAccount = z.infer<typeof account>;

/** By client id. */
export type DeclaredClients = ReadonlyMap<string, Client>;

export const declaredClients = (accounts: readonly ServiceAccount[]): DeclaredClients =>
  new Map(
    accounts.map(({ client_id: clientId, name, grants, secret_sha256: hashes = [], jwks }) => [
      clientId,
      {
        clientId,
        name,
        grants,
        jwks,
        secrets: [hashes]
          .flat()
          .map((hex) => ({ hash: Buffer.from(hex, 'hex'), validUntil: null })),
      },
    ]),
  );
