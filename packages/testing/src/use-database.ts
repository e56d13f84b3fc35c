import { randomBytes } from 'node:crypto';
import { Pool } from 'pg';
import { eventually } from './eventually.js';
import { fromTestStack, jestHooks } from './jest-hooks.js';
import type { Migrate, Template } from './template.js';
import { asAdmin, createDatabase, dropDatabase, preparedTemplate, urlOf } from './template.js';
import { databaseName, testRun } from './test-run.js';

const SETUP_MS = 60_000;
const RETURN_MS = 1_000;
const CONNECTIONS_MAX = 10;

/** A database of the test file's own. */
export interface TestDatabase {
  readonly url: string;
  /** Pool of at most ten connections. A test gives back every connection that it takes. */
  readonly pool: Pool;
}

/**
 * Gives each test file a database of its own, dropped after it. Named schemas are migrated once for
 * a run and cloned; a bare function migrates this one alone. The file fails when it kept
 * connections of the pool.
 */
export function useDatabase(schema?: Migrate | Template): () => TestDatabase {
  let database: TestDatabase | undefined;
  const { beforeAll, afterAll } = jestHooks();

  beforeAll(async () => {
    database = await openDatabase(fromTestStack('JUNCTION_TEST_POSTGRES_URL'), schema);
  }, SETUP_MS);
  afterAll(async () => {
    if (database) await closeDatabase(fromTestStack('JUNCTION_TEST_POSTGRES_URL'), database);
  }, SETUP_MS);

  return () => {
    if (database) return database;
    throw new Error('The database is there from beforeAll on: call this inside a test or a hook.');
  };
}

async function openDatabase(
  adminUrl: string,
  schema: Migrate | Template | undefined,
): Promise<TestDatabase> {
  const name = databaseName(testRun(), `file_${randomBytes(6).toString('hex')}`);
  const url = urlOf(adminUrl, name);
  const template =
    typeof schema === 'object' ? await preparedTemplate(adminUrl, schema) : undefined;
  await asAdmin(adminUrl, (client) => createDatabase(client, name, template));
  if (typeof schema === 'function') await schema(url);

  const pool = new Pool({ connectionString: url, max: CONNECTIONS_MAX, pipeline: true });
  // A connection that the server ends would end the test process, if its 'error' had no listener.
  pool.on('error', () => undefined);
  return { url, pool };
}

async function closeDatabase(adminUrl: string, { url, pool }: TestDatabase): Promise<void> {
  const kept = await keptConnections(pool);
  const name = new URL(url).pathname.slice(1);
  // Dropping first: with a kept connection, ending the pool would wait for ever.
  if (kept === 0) await pool.end();
  await asAdmin(adminUrl, (client) => dropDatabase(client, name));
  if (kept > 0) {
    throw new Error(`${kept} connections of the test's pool were never released.`);
  }
}

/**
 * Returns the number of connections that are still in use. A finished test may still be returning some, so it waits
 * first.
 */
async function keptConnections(pool: Pool): Promise<number> {
  const inUse = () => pool.totalCount - pool.idleCount;
  try {
    return await eventually(
      () => {
        if (inUse() > 0) throw new Error('in use');
        return 0;
      },
      { deadlineMs: RETURN_MS },
    );
  } catch {
    return inUse();
  }
}
