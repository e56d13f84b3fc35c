import { Client, escapeIdentifier, escapeLiteral } from 'pg';

// Any number: whoever makes databases of ours takes turns under it.
const TURN = 7_311_803;

/** A service's own database and the role that owns it. */
export interface ServiceDatabase {
  readonly database: string;
  readonly role: string;
  readonly password: string;
}

/**
 * Makes the role and its database, or gives an existing role this password, and returns the
 * database's address for the role. Nobody else may connect to it.
 */
export async function createServiceDatabase(
  adminUrl: string,
  { database, role, password }: ServiceDatabase,
): Promise<string> {
  const client = new Client({ connectionString: adminUrl });
  client.on('error', () => undefined); // the query that meets it rejects
  await client.connect();
  try {
    // A failing statement is written to the server's log, and these hold a password.
    await client.query('set log_min_error_statement = panic');
    await client.query('select pg_advisory_lock($1)', [TURN]);
    await prepareRole(client, role, password);
    await prepareDatabase(client, database, role);
  } finally {
    await client.end();
  }
  const url = new URL(adminUrl);
  url.username = role;
  url.password = encodeURIComponent(password);
  url.pathname = `/${database}`;
  return url.href;
}

async function prepareRole(client: Client, role: string, password: string): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role]);
  const name = escapeIdentifier(role);
  const verb = rowCount === 0 ? 'create' : 'alter';
  await client.query(`${verb} role ${name} login password ${escapeLiteral(password)}`);
  // The reader's fence waits for the oldest open transaction: a forgotten one must not hold it.
  await client.query(`alter role ${name} set idle_in_transaction_session_timeout = '10s'`);
}

async function prepareDatabase(client: Client, database: string, role: string): Promise<void> {
  const name = escapeIdentifier(database);
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [
    database,
  ]);
  if (rowCount === 0) await client.query(`create database ${name} owner ${escapeIdentifier(role)}`);
  await client.query(`revoke all on database ${name} from public`);
}
