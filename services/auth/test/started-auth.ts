import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type BreakableRoad,
  breakableRoad,
  startTestService,
  type TestBroker,
  type TestDatabase,
  type TestService,
} from '@junction/testing';
import { type Stage, useStage } from '@junction/testing/stage';
import { type Ask, askOf } from './http-client.js';
import { authSchema } from './schema.js';

const MAIN = path.resolve(import.meta.dirname, '../dist/src/main.js');

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

/** The auth of a test file, whose road to Postgres can be broken. */
export interface UsedAuth {
  readonly stage: () => Stage<{ readonly road: BreakableRoad }, StartedAuth>;
  readonly auth: () => StartedAuth;
  readonly ask: Ask;
  readonly database: () => TestDatabase;
}

type Settings = Readonly<Record<string, string>>;

/** Starts auth before the tests of a file and ends it after them. The settings replace the usual ones. */
export function useAuth(settings: () => Settings = () => ({})): UsedAuth {
  const stage = useStage({
    schema: authSchema,
    async around({ database }) {
      const road = await breakableRoad(database.url);
      return { road, close: () => road.break() };
    },
    start: ({ database, broker }, { road }) =>
      startAuth({ ...database, url: road.url }, broker, settings()),
    end: (auth) => auth.dispose(),
  });
  const auth = () => stage().service;
  return { stage, auth, ask: askOf(() => auth().url), database: () => stage().database };
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
