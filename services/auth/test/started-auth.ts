import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import {
  type BreakableRoad,
  breakableRoad,
  startTestService,
  type TestBroker,
  type TestDatabase,
  type TestService,
  useBroker,
  useDatabase,
} from '@junction/testing';
import { type Ask, askOf } from './http-client.js';
import { authSchema } from './schema.js';

const MAIN = path.resolve(import.meta.dirname, '../dist/src/main.js');
export const PUBLIC_URL = 'http://localhost:8080';

export interface Client {
  readonly id: string;
  readonly secret: string;
}

/** The service as a process of its own, with two service accounts. */
export interface StartedAuth extends TestService {
  readonly verifier: Client;
  readonly worker: Client;
  /** After the test: ends it and takes its files away. */
  readonly dispose: () => Promise<void>;
}

/** The auth of a test file: one process, whose road to Postgres can be broken. */
export interface UsedAuth {
  readonly auth: () => StartedAuth;
  readonly ask: Ask;
  readonly database: () => TestDatabase;
  readonly broker: TestBroker;
  readonly road: () => BreakableRoad;
}

type Settings = Readonly<Record<string, string>>;

/** Starts auth before the tests of a file and ends it after them. The settings replace the usual ones. */
export function useAuth(settings: () => Settings = () => ({})): UsedAuth {
  const database = useDatabase(authSchema);
  const broker = useBroker();
  let road: BreakableRoad | undefined;
  let auth: StartedAuth | undefined;
  beforeAll(async () => {
    road = await breakableRoad(database().url);
    auth = await startAuth({ ...database(), url: road.url }, broker, settings());
  }, 90_000);
  afterAll(async () => {
    await auth?.dispose();
    await road?.break();
  });
  const started = <T>(one: T | undefined): T => {
    if (one === undefined) throw new Error('Auth was not started.');
    return one;
  };
  return {
    auth: () => started(auth),
    ask: askOf(() => started(auth).url),
    database,
    broker,
    road: () => started(road),
  };
}

export async function startAuth(
  database: TestDatabase,
  broker: TestBroker,
  overrides: Settings = {},
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
        { audience: 'auth', scopes: ['ops:read', 'ops:write', 'portals:open'] },
      ]),
    ]),
  );
  const service = await startTestService({
    main: MAIN,
    databaseVariable: 'AUTH_DATABASE_URL',
    database,
    broker,
    publicUrl: PUBLIC_URL,
    env: { SERVICE_ACCOUNTS_FILE: serviceAccountsFile, ...overrides },
  });
  return {
    ...service,
    verifier,
    worker,
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
