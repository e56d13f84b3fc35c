import { pause, repeat } from '@junction/async';
import knex, { type Knex } from 'knex';
import { Client } from 'pg';
import { longWaits } from '../long-waits.js';
import type { Queryable } from '../queryable.js';
import { withSessionOptions } from '../session-options.js';
import { migrationsRun, type Owner, refuseForeign, writeOwner } from './owner.js';

/** A step of a schema, which runs once. Only a further step corrects it; no step is undone. */
export interface Migration {
  /**
   * `<owner>/<number>_<what>`, for instance `auth/0001_users`. Never rename a migration: the database records it under
   * this name.
   */
  readonly name: string;
  /**
   * False: each statement commits by itself, for what would keep others from a large table for long (`create index
   * concurrently`). Such a step may end halfway, and then runs once more from its beginning. Default true.
   */
  readonly inTransaction?: boolean;
  up(db: Knex): Promise<void>;
}

/**
 * Creates an index while others write to its table, for a migration in no transaction. An index that a run left invalid
 * when it was ended is created anew.
 */
export async function createIndex(db: Knex, index: string, on: string): Promise<void> {
  await db.raw(`drop index if exists ${index}`);
  await db.raw(`create index concurrently ${index} on ${on}`);
}

// Key of the advisory lock. Any number will do, as long as every process uses the same one.
const MIGRATING = 7_035_201_991;
const CONNECT_WAIT_MS = 10_000;
const LOOK_EVERY_MS = 1_000;

/** The `application_name` of its sessions. */
const APPLICATION = 'junction migrate';

/** Oldest server that is taken, as Postgres counts versions: 18 has virtual generated columns. */
export const SERVER_MIN = 180_000;

// A failure is thrown, with its statement; knex would print it as well.
const SILENT = { warn() {}, error() {}, deprecate() {}, debug() {} };

export interface MigrateOptions {
  readonly owner?: Owner;
  readonly onWait?: (reason: string) => void;
}

/**
 * Brings a database up to date and returns the names of the migrations that ran, in order: all in one transaction, or
 * each in its own where one of them is in none. Processes that start together wait for each other. Rejects before any
 * change when the server is older than Postgres 18. `onWait` hears every second why it does not get on, while it waits
 * for another process, a lock or a standby. The database then says that it is the owner's; without one nothing asks
 * whose it is.
 *
 * @throws ForeignDatabaseError before any change, when the database is not the owner's
 */
export async function migrate(
  databaseUrl: string,
  migrations: readonly Migration[],
  { onWait = () => undefined, owner }: MigrateOptions = {},
): Promise<readonly string[]> {
  const url = new URL(withSessionOptions(databaseUrl));
  url.searchParams.set('application_name', APPLICATION);
  const connection = url.href;
  return alone(connection, onWait, async (session) => {
    refuseOlderServer(await serverVersion(session));
    if (owner) await refuseForeign(session, owner, migrations);
    const pool = { min: 0, max: 2 };
    const db = knex({ client: 'pg', connection, pool, log: SILENT });
    try {
      // Knex's lock stays behind where a process was killed outside a transaction. Ours has ended with that.
      await db.migrate.forceFreeMigrationsLock();
      const [, ran] = (await db.migrate.latest(from(migrations))) as [number, readonly string[]];
      if (owner) await writeOwner(session, owner, ran.length > 0);
      return ran;
    } finally {
      await db.destroy();
    }
  });
}

async function serverVersion(session: Client): Promise<number> {
  const { rows } = await session.query<{ server_version_num: string }>('show server_version_num');
  return Number(rows[0]?.server_version_num);
}

/** Throws for a server that is too old. `version` is as Postgres counts: 180004 is 18.4. */
export function refuseOlderServer(version: number): void {
  if (version >= SERVER_MIN) return;
  throw new Error(
    `This Postgres is version ${Math.floor(version / 10_000)} (server_version_num ${version}). ` +
      `It takes ${SERVER_MIN / 10_000} or newer: upgrade the server, then run \`migrate\` again.`,
  );
}

/** Satisfies knex, which requires a `down` of each migration. Nothing here calls it. */
async function noWayBack(): Promise<never> {
  throw new Error('A migration is not undone: write a further one.');
}

const from = (migrations: readonly Migration[]): Knex.MigratorConfig => ({
  // A replica of the version before may start while the next one is being rolled out.
  disableMigrationsListValidation: true,
  migrationSource: {
    getMigrations: async () => [...migrations],
    getMigrationName: ({ name }: Migration) => name,
    getMigration: async ({ up, inTransaction: transaction = true }: Migration) => ({
      up,
      down: noWayBack,
      config: { transaction },
    }),
  },
});

/**
 * Keeps a program from starting on an older schema: rejects while one of these migrations has not run, and names the
 * first. Migrations of other versions, older or newer, do not matter.
 */
export async function requireMigrated(
  db: Queryable,
  migrations: readonly Migration[],
): Promise<void> {
  const ran = new Set(await migrationsRun(db));
  const [first, ...others] = migrations.filter(({ name }) => !ran.has(name));
  if (first === undefined) return;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  throw new Error(`The migration ${first.name}${more} has not been run. Run \`migrate\`.`);
}

/**
 * Runs work under an advisory lock. Knex's own lock is in a table that two processes on an empty database would both
 * create.
 */
async function alone<T>(
  connection: string,
  onWait: (reason: string) => void,
  work: (session: Client) => Promise<T>,
): Promise<T> {
  const session = await connected(connection);
  const looking = repeat(
    LOOK_EVERY_MS,
    () => look(connection, onWait),
    () => undefined,
  );
  try {
    while (!(await lock(session))) {
      onWait('Another process migrates this database.');
      await pause(LOOK_EVERY_MS);
    }
    return await work(session);
  } finally {
    await looking.stop();
    await session.end();
  }
}

// A statement that waited for the lock would hold a snapshot, and an index that is made concurrently waits until every
// snapshot has ended.
async function lock(session: Client): Promise<boolean> {
  const { rows } = await session.query<{ ours: boolean }>(
    'select pg_try_advisory_lock($1) as ours',
    [MIGRATING],
  );
  return rows[0]?.ours === true;
}

async function look(connection: string, onWait: (reason: string) => void): Promise<void> {
  const session = await connected(connection);
  try {
    for (const { application, reason } of await longWaits(session)) {
      if (application === APPLICATION) onWait(reason);
    }
  } finally {
    await session.end();
  }
}

async function connected(connectionString: string): Promise<Client> {
  const session = new Client({ connectionString, connectionTimeoutMillis: CONNECT_WAIT_MS });
  // Without a listener a lost connection would end the process; the query under way reports it.
  session.on('error', () => {});
  await session.connect();
  return session;
}
