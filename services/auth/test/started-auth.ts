import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, startService, type TestBroker, type TestDatabase } from '@junction/testing';

const MAIN = path.resolve(import.meta.dirname, '../dist/src/main.js');
/** One for the test file: replicas on one database have one key ring. */
const VAULT_KEYS = `k1:${randomBytes(32).toString('base64url')}`;
export const PUBLIC_URL = 'http://localhost:8080';

export interface Client {
  readonly id: string;
  readonly secret: string;
}

/** The service as a process of its own, built and started as in production. */
export interface StartedAuth {
  readonly url: string;
  readonly grpcAddress: string;
  /** Everything it ever wrote to its standard output and error. */
  readonly logs: () => string;
  readonly verifier: Client;
  readonly worker: Client;
  /** Ends it with the signal and gives its exit code, null when the signal itself was the end. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
  readonly startAgain: () => Promise<void>;
  /** After the test: ends it and takes its files away. */
  readonly dispose: () => Promise<void>;
}

export async function startAuth(
  { url: databaseUrl }: TestDatabase,
  { brokers, prefix }: TestBroker,
  overrides: Readonly<Record<string, string>> = {},
): Promise<StartedAuth> {
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-e2e-'));
  const verifier = newClient('cli_verifier');
  const worker = newClient('cli_worker');
  const serviceAccountsFile = path.join(folder, 'service-accounts.json');
  await writeFile(
    serviceAccountsFile,
    JSON.stringify([
      account(verifier, [{ audience: 'auth', scopes: ['credentials:verify'] }]),
      account(worker, [
        { audience: 'integrations', scopes: ['tokens:read', 'ops:read'] },
        { audience: 'auth', scopes: ['ops:read'] },
      ]),
    ]),
  );

  const [httpPort, grpcPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${httpPort}`;
  const env = {
    PATH: process.env['PATH'],
    JUNCTION_ENV: 'development',
    ALLOW_HTTP_PUBLIC_URL: 'true',
    GRPC_PLAINTEXT: 'true',
    KAFKA_PLAINTEXT: 'true',
    PUBLIC_URL,
    HTTP_PORT: String(httpPort),
    GRPC_PORT: String(grpcPort),
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_TOPIC_PREFIX: prefix,
    AUTH_DATABASE_URL: databaseUrl,
    VAULT_KEYS,
    SERVICE_ACCOUNTS_FILE: serviceAccountsFile,
    ...overrides,
  };

  const service = await startService({ main: MAIN, env, readyUrl: `${url}/internal/health/ready` });

  return {
    url,
    grpcAddress: `127.0.0.1:${grpcPort}`,
    logs: service.logs,
    verifier,
    worker,
    end: service.end,
    startAgain: service.startAgain,
    dispose: async () => {
      await service.end('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const newClient = (id: string): Client => ({ id, secret: randomBytes(32).toString('base64url') });

const account = ({ id, secret }: Client, grants: readonly object[]) => ({
  client_id: id,
  name: id,
  secret_sha256: createHash('sha256').update(secret).digest('hex'),
  grants,
});
