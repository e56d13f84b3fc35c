import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { hashOfSecret } from '../secret-hash.js';

/** The services a token can be for. Each refuses every token made for another. */
const AUDIENCES = ['auth', 'integrations', 'webhook-dispatcher'] as const;

const ACCOUNTS_MAX = 1_000;

const scope = z.string().regex(/^[a-z]+:[a-z]+$/, 'must look like tokens:read');

const account = z.strictObject({
  client_id: z
    .string()
    .regex(/^cli_[0-9a-z_-]{1,64}$/, 'must be cli_ and lower-case letters, digits, _ or -'),
  name: z.string().min(1).max(100),
  secret_sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits'),
  grants: z
    .array(z.strictObject({ audience: z.enum(AUDIENCES), scopes: z.array(scope).min(1).max(20) }))
    .min(1)
    .max(AUDIENCES.length)
    .refine(
      (grants) => new Set(grants.map(({ audience }) => audience)).size === grants.length,
      'must name each audience once',
    ),
});

/** The file of service accounts: who may ask for a token, for which service, to do what. */
export const serviceAccountsFile = z
  .array(account)
  .max(ACCOUNTS_MAX)
  .refine(
    (accounts) => new Set(accounts.map((one) => one.client_id)).size === accounts.length,
    'must name each client_id once',
  );

export type ServiceAccount = z.infer<typeof account>;

/** The account with this id and secret, undefined when either is wrong: nothing tells which. */
export type FindServiceAccount = (clientId: string, secret: string) => ServiceAccount | undefined;

export function serviceAccounts(accounts: readonly ServiceAccount[]): FindServiceAccount {
  const byId = new Map(accounts.map((one) => [one.client_id, one]));

  return (clientId, secret) => {
    const found = byId.get(clientId);
    // The hash of an unknown client matches no secret, but takes as long to compare.
    const expected = Buffer.from(found?.secret_sha256 ?? '0'.repeat(64), 'hex');
    return timingSafeEqual(hashOfSecret(secret), expected) ? found : undefined;
  };
}
