import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { LocalStackError } from '../local-stack-error.js';

/** The service accounts and their grants; docker compose reads the same file. */
const ACCOUNTS_FILE = path.resolve(import.meta.dirname, '../../../../infra/service-accounts.json');
const OWNER_ONLY = 0o600;
const SECRET_BYTES = 32;

const CLIENTS = ['producer', 'worker', 'operator', 'integrations', 'webhook-dispatcher'] as const;
const SERVICES = ['auth', 'integrations', 'webhooks'] as const;

/** Kinds of accounts that users connect; each kind has a client of ours at each provider. */
export const KINDS = ['mailbox', 'calendar'] as const;

/** The development providers: the identity providers of infra/providers.development.yaml. */
export const IDENTITY_PROVIDERS = ['acme', 'globex'] as const;

export type ClientName = (typeof CLIENTS)[number];
export type ServiceName = (typeof SERVICES)[number];
export type Kind = (typeof KINDS)[number];
export type IdentityProvider = (typeof IDENTITY_PROVIDERS)[number];

const secret = z.string().min(40);

const secrets = z.object({
  /** Password of the database role of each service. */
  databases: z.record(z.enum(SERVICES), secret),
  /** Key ring of each service: `k1:<32 bytes, base64url>`. */
  vaults: z.record(z.enum(SERVICES), secret),
  /** Client secrets of the service accounts (RFC 6749, section 2.3.1). */
  clients: z.record(z.enum(CLIENTS), secret),
  /** Client secrets at the development providers. */
  providers: z.record(z.enum(IDENTITY_PROVIDERS), z.record(z.enum(KINDS), secret)),
});

export type Secrets = Readonly<z.infer<typeof secrets>>;

/**
 * The secrets of this folder: made at random on its first start, readable by its owner alone.
 * @throws LocalStackError when the file is not one that this release writes.
 */
export function secretsOf(dataDir: string): Secrets {
  const file = path.join(dataDir, 'secrets.json');
  if (existsSync(file)) return readSecrets(file);

  const made = newSecrets();
  writeOwnerOnly(file, made);
  return made;
}

function readSecrets(file: string): Secrets {
  const { data, error } = secrets.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (data) return data;
  const [issue] = error.issues;
  throw new LocalStackError(
    `${file} is of another release of Junction (${issue?.path.join('.')}: ${issue?.message}), and so ` +
      'are the data beside it. Delete both with npm run reset.',
  );
}

export const clientIdOf = (name: ClientName): string => `cli_${name.replaceAll('-', '_')}`;

const accounts = z.array(
  z.strictObject({
    name: z.enum(CLIENTS),
    grants: z.array(z.strictObject({ audience: z.string(), scopes: z.array(z.string()) })),
  }),
);

/** Returns the service accounts as auth reads them: each with its grants and a hash of its secret. */
export const serviceAccounts = ({ clients }: Secrets) =>
  accounts.parse(JSON.parse(readFileSync(ACCOUNTS_FILE, 'utf8'))).map(({ name, grants }) => ({
    client_id: clientIdOf(name),
    name,
    secret_sha256: createHash('sha256').update(clients[name]).digest('hex'),
    grants,
  }));

/** Writes the file whole or not at all: a half-written file would lock this folder's databases for ever. */
export function writeOwnerOnly(file: string, content: unknown): void {
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, `${JSON.stringify(content, null, 2)}\n`, { mode: OWNER_ONLY });
  renameSync(aside, file);
}

const random = () => randomBytes(SECRET_BYTES).toString('base64url');

const each = <Name extends string, Made>(names: readonly Name[], make: () => Made) =>
  Object.fromEntries(names.map((name) => [name, make()])) as Record<Name, Made>;

/** Random ones, kept nowhere. */
export const newSecrets = (): Secrets => ({
  databases: each(SERVICES, random),
  vaults: each(SERVICES, () => `k1:${random()}`),
  clients: each(CLIENTS, random),
  providers: each(IDENTITY_PROVIDERS, () => each(KINDS, random)),
});
