import type { Queryable } from '../queryable.js';

/** Service that a database belongs to, and the version of it that runs. */
export interface Owner {
  readonly service: string;
  readonly version: string;
}

/**
 * Number of the line of migrations, within which each version works on the database of each other one, so that a
 * release rolls out and back. The number rises when migrations are folded, or when one takes away what the version
 * before still uses.
 */
export const LINE = 1;

type Named = Readonly<Record<'name', string>>;

/** The database is not one that this version of this service may change or serve. */
export class ForeignDatabaseError extends Error {
  constructor(
    /** A sentence that says whose database it is. */
    readonly found: string,
    /** A sentence that says what to do. */
    readonly remedy: string,
  ) {
    super(`${found} ${remedy}`);
    this.name = new.target.name;
  }
}

const NAME_ANOTHER =
  "Name this service's own database in its …_DATABASE_URL: nothing was changed in this one.";
const KEEP =
  'Keep that version; or, in a checkout, run `npm run reset`, which deletes all data. Nothing was changed.';

/** Table with one row. `if not exists`, because databases were made before it and no migration has to wait for it. */
const TABLE = `
create table if not exists database_owner (
  one     boolean primary key default true check (one),
  service text    not null,
  version text    not null, -- that migrated it last
  line    integer not null
)`;

/** Writes down whose database this is and which version migrated it, unless the row is there and `changed` is false. */
export async function writeOwner(db: Queryable, owner: Owner, changed: boolean): Promise<void> {
  await db.query({ text: TABLE });
  await db.query({
    text: `insert into database_owner (service, version, line) values ($1, $2, $3)
           on conflict (one) do ${changed ? 'update set version = excluded.version' : 'nothing'}`,
    values: [owner.service, owner.version, LINE],
  });
}

interface Row {
  readonly service: string;
  readonly version: string;
  readonly line: number;
}

/**
 * Rejects when the database is another service's or one of another line of migrations. A database without the row is
 * recognised by the migrations that were run in it; an empty one belongs to nobody yet.
 *
 * @throws ForeignDatabaseError with words for an operator
 */
export async function refuseForeign(
  db: Queryable,
  owner: Owner,
  migrations: readonly Named[],
): Promise<void> {
  const row = await ownerRow(db);
  if (row === undefined) return refuseByMigrations(owner, migrations, await migrationsRun(db));
  const { service, version, line } = row;
  if (service !== owner.service) {
    throw new ForeignDatabaseError(`This is the database of ${service}.`, NAME_ANOTHER);
  }
  if (line === LINE) return;
  const gap = line > LINE ? 'is too old for it' : 'is not upgraded to from that one';
  throw new ForeignDatabaseError(
    `This database was made by version ${version} of ${service}, and version ${owner.version} ${gap}.`,
    KEEP,
  );
}

/** Returns the row; undefined where there is none. The schema is that in which services look. */
async function ownerRow(db: Queryable): Promise<Row | undefined> {
  const { rows: tables } = await db.query<{ there: boolean }>({
    text: `select to_regclass('database_owner') is not null as there`,
  });
  if (tables[0]?.there !== true) return undefined;
  const { rows } = await db.query<Row>({
    text: 'select service, version, line from database_owner',
  });
  return rows[0];
}

const prefixOf = (name: string): string => name.slice(0, name.indexOf('/'));

function refuseByMigrations(
  { service }: Owner,
  migrations: readonly Named[],
  ran: readonly string[],
): void {
  const ours = new Set(migrations.map(({ name }) => name));
  const prefixes = new Set([...ours].map(prefixOf));
  const foreign = ran.find((name) => !prefixes.has(prefixOf(name)));
  if (foreign !== undefined) {
    const found = `This database is not that of ${service}: the migration ${foreign} was run in it.`;
    throw new ForeignDatabaseError(found, NAME_ANOTHER);
  }
  // An older version of this line has run no other migrations than ours, and a newer one all of ours.
  const unknown = ran.find((name) => !ours.has(name));
  const missing = migrations.find(({ name }) => !ran.includes(name));
  if (unknown === undefined || missing === undefined) return;
  const found = `This database was made by a version of ${service} that this one is not upgraded from: it has the migration ${unknown}, and not ${missing.name}.`;
  throw new ForeignDatabaseError(found, KEEP);
}

const UNDEFINED_TABLE = '42P01';

/** Returns the names of the migrations that were run in a database. */
export async function migrationsRun(db: Queryable): Promise<readonly string[]> {
  try {
    const { rows } = await db.query<{ name: string }>({
      text: 'select name from knex_migrations',
    });
    return rows.map(({ name }) => name);
  } catch (error) {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}
