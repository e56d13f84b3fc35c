import { createHash } from 'node:crypto';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { databaseName, isOrphan, testRun } from './test-run.js';

/** Brings an empty database to the schema that the tests expect. */
export type Migrate = (url: string) => Promise<unknown>;

/** A schema by name, so that it is made once for a run and cloned for each test file. */
export interface Template {
  readonly template: string;
  readonly migrate: Migrate;
}

const ORPHANS_MAX = 20;

/** Runs statements as the superuser of the test server, one connection for all of them. */
export async function asAdmin<T>(
  adminUrl: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: adminUrl, application_name: 'test-databases' });
  client.on('error', () => undefined); // the query that meets it rejects
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The address of a database on the same server. */
export function urlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** Makes an empty database, marked as this run's. */
export async function createDatabase(client: Client, name: string, template = 'template0') {
  const from = escapeIdentifier(template);
  await client.query(`create database ${escapeIdentifier(name)} template ${from}`);
  const comment = escapeLiteral(testRun().started);
  await client.query(`comment on database ${escapeIdentifier(name)} is ${comment}`);
}

/** Deletes a database with whoever is still connected to it. */
export const dropDatabase = (client: Client, name: string) =>
  client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`);

/** The template's database; the first to ask makes it, while the others wait. */
export async function preparedTemplate(
  adminUrl: string,
  { template, migrate }: Template,
): Promise<string> {
  const key = createHash('sha256').update([template, String(migrate)].join('\0'));
  const name = databaseName(testRun(), key.digest('hex').slice(0, 16));
  await asAdmin(adminUrl, async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const found = await client.query('select datistemplate from pg_database where datname = $1', [
      name,
    ]);
    if (found.rows[0]?.datistemplate === true) return;
    await dropDatabase(client, name); // half-made by one that failed
    await createDatabase(client, name);
    await migrate(urlOf(adminUrl, name));
    await dropOrphans(adminUrl);
    await seal(client, name);
  });
  return name;
}

/** Only a finished template is one, and nobody is connected to it: Postgres clones no other. */
async function seal(client: Client, name: string): Promise<void> {
  const database = escapeIdentifier(name);
  await client.query(`alter database ${database} allow_connections false`);
  await client.query(
    'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1',
    [name],
  );
  await client.query(`alter database ${database} is_template true`);
}

/** Databases of runs that were killed, or whose templates outlived them. */
async function dropOrphans(adminUrl: string): Promise<void> {
  // This connection is separate, because Postgres ends one that alters a database which another run is dropping.
  const dropping = asAdmin(adminUrl, async (client) => {
    const { rows } = await client.query<{ name: string; comment: string | null; sealed: boolean }>(
      `select datname as name, shobj_description(oid, 'pg_database') as comment,
              datistemplate as sealed
         from pg_database where datname like 'jt\\_%'`,
    );
    const orphans = rows.filter(({ name, comment }) => isOrphan(name, comment));
    for (const { name, sealed } of orphans.slice(0, ORPHANS_MAX)) {
      if (sealed) await client.query(`alter database ${escapeIdentifier(name)} is_template false`);
      await dropDatabase(client, name);
    }
  });
  await dropping.catch(() => undefined); // the next run drops the rest
}
