import {
  ForeignDatabaseError,
  type Migration,
  type Owner,
  refuseForeign,
  refuseUnfinishedRestore,
  requireMigrated,
  SERVER_MIN,
} from '@junction/eventsourcing/postgres';
import { writeSpill } from '@junction/service/postgres';
import type pg from 'pg';
import { type Check, CheckError, type Complaint, type Look, problem, warning } from './finding.js';

const SECOND_MS = 1_000;
const SKEW_WARNING_MS = SECOND_MS;
const SKEW_PROBLEM_MS = 30 * SECOND_MS;

export interface DatabaseFacts {
  readonly pool: pg.Pool;
  readonly owner: Owner;
  readonly migrations: readonly Migration[];
  /** Connections that one replica may open in all its pools. */
  readonly connectionsMax: number;
}

/** Checks the server and the schema, each after what it needs. */
export const databaseChecks = (facts: DatabaseFacts): readonly Check[] => [
  ...serverChecks(facts),
  ...schemaChecks(facts),
];

const serverChecks = ({ pool, connectionsMax }: DatabaseFacts): readonly Check[] => [
  {
    name: 'database',
    remedy:
      "Check host, port, database, role and password in the service's …_DATABASE_URL, and that Postgres runs and lets this machine in (pg_hba.conf, network policies).",
    look: async () => {
      const { rows } = await pool.query<Server>(SERVER);
      return rows[0] ? judgeServer(rows[0]) : 'It answers.';
    },
  },
  {
    name: 'disk',
    needs: ['database'],
    remedy:
      'Make room on the disk of Postgres, or let the role have temporary files (temp_file_limit): until then what is to be stored is refused with 503.',
    async look() {
      await writeSpill(pool);
      return 'Half a megabyte could be written.';
    },
  },
  { name: 'clock', needs: ['database'], remedy: 'Ask again.', look: async () => clock(pool) },
  {
    name: 'connections',
    needs: ['database'],
    remedy: 'Ask again.',
    look: async () => connections(pool, connectionsMax),
  },
];

const schemaChecks = ({ pool, owner, migrations }: DatabaseFacts): readonly Check[] => [
  {
    name: 'owner',
    needs: ['database'],
    remedy: 'Ask again.',
    look: async () => ownership(pool, owner, migrations),
  },
  {
    name: 'migrations',
    needs: ['owner'],
    remedy: "Run the command `migrate` of this version in the service's container, then start it.",
    async look() {
      await requireMigrated(pool, migrations);
      return `All ${migrations.length} have been run.`;
    },
  },
  {
    name: 'restore',
    needs: ['migrations'],
    remedy: 'Run the command `finish-restore` in the container of any replica.',
    async look() {
      await refuseUnfinishedRestore(pool);
      return 'No restore waits to be finished.';
    },
  },
  {
    name: 'partitions',
    needs: ['migrations'],
    remedy: 'Run `migrate`, then start the service, which makes partitions ahead.',
    look: async () => eventPartitions(pool),
  },
];

async function ownership(
  pool: pg.Pool,
  owner: Owner,
  migrations: readonly Migration[],
): Promise<Look> {
  try {
    await refuseForeign(pool, owner, migrations);
    return `${owner.service} ${owner.version} may work with this database.`;
  } catch (error) {
    if (error instanceof ForeignDatabaseError) throw new CheckError(error.found, error.remedy);
    throw error;
  }
}

interface Server {
  readonly version: number;
  readonly encoding: string;
  readonly role: string;
  readonly superuser: boolean;
  readonly may_create: boolean;
  readonly database: string;
}

const SERVER = `
select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
       current_user as role, rolsuper as superuser, current_database() as database,
       has_schema_privilege(current_schema(), 'create') as may_create
  from pg_roles where rolname = current_user`;

function judgeServer(server: Server): Look {
  const { version, encoding, role, superuser, may_create, database } = server;
  const complaints: Complaint[] = [];
  if (version < SERVER_MIN) {
    const found = `Postgres is of version ${Math.floor(version / 10_000)}.`;
    complaints.push(problem(found, 'Upgrade the server to Postgres 18 or newer.'));
  }
  if (encoding !== 'UTF8') {
    const remedy = "Create the database with encoding 'UTF8' and move the data there.";
    complaints.push(problem(`The encoding of ${database} is ${encoding}.`, remedy));
  }
  if (!may_create) {
    const found = `The role ${role} may create nothing in ${database}, so no partition can be made.`;
    complaints.push(
      problem(found, `Run as its owner: alter database ${database} owner to ${role}.`),
    );
  }
  if (superuser) {
    const remedy = 'Give the service a role of its own that owns its database and nothing else.';
    complaints.push(warning(`The role ${role} is a superuser.`, remedy));
  }
  return complaints.length > 0 ? complaints : `${role} may create in ${database}.`;
}

/** Compares this machine's clock with the database's, which leases and retries go by. */
async function clock(pool: pg.Pool): Promise<Look> {
  await pool.query('select');
  const askedMs = Date.now();
  const { rows } = await pool.query<{ ms: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
  );
  const answeredMs = Date.now();
  // The answer was made at some moment in between.
  const theirsMs = rows[0]?.ms ?? answeredMs;
  const skewMs = Math.max(0, askedMs - theirsMs, theirsMs - answeredMs);
  if (skewMs < SKEW_WARNING_MS) return 'The clocks of this machine and of Postgres agree.';
  const found = `The clock of this machine is ${(skewMs / SECOND_MS).toFixed(1)} s from that of Postgres.`;
  const remedy = 'Have both follow NTP: tokens, signatures and leases are judged by their times.';
  return [(skewMs < SKEW_PROBLEM_MS ? warning : problem)(found, remedy)];
}

interface Connections {
  readonly server_max: number;
  readonly used: number;
  readonly role_max: number;
  readonly used_by_role: number;
  readonly database_max: number;
  readonly used_in_database: number;
}

/** Counts sessions of all roles: pg_stat_activity shows the database of others, and hides their kind. */
const CONNECTIONS = `
select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as server_max,
       (select count(*)::int from pg_stat_activity
         where datid is not null and coalesce(backend_type, 'client backend') = 'client backend') as used,
       (select rolconnlimit from pg_roles where rolname = current_user) as role_max,
       (select count(*)::int from pg_stat_activity where usename = current_user) as used_by_role,
       (select datconnlimit from pg_database where datname = current_database()) as database_max,
       (select count(*)::int from pg_stat_activity where datname = current_database()) as used_in_database`;

/** Checks whether one more replica could open all its connections, as it does in a rolling restart. */
async function connections(pool: pg.Pool, needed: number): Promise<Look> {
  const { rows } = await pool.query<Connections>(CONNECTIONS);
  const [row] = rows;
  if (row === undefined) return 'Unknown.';
  const limits = [
    { of: 'max_connections of the server', max: row.server_max, used: row.used },
    { of: 'the connection limit of the role', max: row.role_max, used: row.used_by_role },
    {
      of: 'the connection limit of the database',
      max: row.database_max,
      used: row.used_in_database,
    },
  ].filter(({ max }) => max >= 0);
  const complaints = limits.flatMap(({ of, max, used }) => {
    if (max - used >= needed) return [];
    const found = `A replica may open ${needed} connections; of ${of}, ${max}, ${used} are in use.`;
    const remedy = 'Lower DATABASE_POOL_MAX, raise the limit, or put fewer services on one server.';
    return [(max < needed ? problem : warning)(found, remedy)];
  });
  return complaints.length > 0
    ? complaints
    : `There is room for one more replica, ${needed} connections.`;
}

const PARTITIONS = `
select (coalesce(pg_sequence_last_value(pg_get_serial_sequence('events', 'position')::regclass), 0) / 10000000)::int as current,
       array(select substr(c.relname, 9)::int from pg_inherits i join pg_class c on c.oid = i.inhrelid
              where i.inhparent = 'events'::regclass and c.relname ~ '^events_p[0-9]+$') as made`;

async function eventPartitions(pool: pg.Pool): Promise<Look> {
  const { rows } = await pool.query<{ current: number; made: number[] }>(PARTITIONS);
  const { current = 0, made = [] } = rows[0] ?? {};
  const missing = [current, current + 1].filter((n) => !made.includes(n));
  if (missing.length === 0) return 'Partitions of events are made ahead.';
  const names = missing.map((n) => `events_p${n}`).join(', ');
  return [
    problem(
      `The partition ${names} of events is missing: appends will fail when they reach it.`,
      'Start the service, which makes it, or run: select make_events_partitions(2).',
    ),
  ];
}
