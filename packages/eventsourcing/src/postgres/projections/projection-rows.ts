import { type ClientBase, escapeIdentifier } from 'pg';

/** A table, and the column that identifies its rows. */
export interface Place {
  readonly table: string;
  readonly key: string;
}

/**
 * Returns the rows with these keys, by key; a missing row is left out.
 *
 * No other transaction writes these rows meanwhile: the head rows of their streams are held, or the checkpoint. Row
 * locks are taken for the table lock that comes with them: while a rebuild takes the table over, reading rows that are
 * about to be written must wait like the writing itself.
 */
export async function findRows(
  tx: ClientBase,
  { table, key }: Place,
  ids: readonly string[],
): Promise<ReadonlyMap<string, object>> {
  if (ids.length === 0) return new Map();
  // Through a record of the table's own type a key is compared in the type of its column.
  const { rows } = await tx.query<{ ordinality: string }>(
    `select t.*, k.ordinality
       from jsonb_populate_recordset(null::${name(table)}, $1) with ordinality k
       join ${name(table)} t on t.${name(key)} = k.${name(key)}
        for key share of t`,
    [JSON.stringify(ids.map((id) => ({ [key]: id })))],
  );
  return new Map(rows.map(({ ordinality, ...row }) => [ids[Number(ordinality) - 1] ?? '', row]));
}

/**
 * Inserts rows, or updates existing ones, in the columns that the rows name and in no others. Returns the names of
 * these columns.
 */
export async function saveRows(
  tx: ClientBase,
  { table, key }: Place,
  rows: readonly object[],
): Promise<readonly string[]> {
  const written = new Set<string>();
  for (const alike of byColumns(rows)) {
    const names = Object.keys(alike[0] ?? {});
    for (const column of names) written.add(column);
    const list = names.map(name).join(', ');
    const excluded = names.map((column) => `excluded.${name(column)}`).join(', ');
    // Through a record of the table's own type a list fits both a jsonb column and an array column.
    await tx.query(
      `insert into ${name(table)} (${list})
       select ${list} from jsonb_populate_recordset(null::${name(table)}, $1)
       on conflict (${name(key)}) do update set (${list}) = row(${excluded})`,
      [JSON.stringify(alike.map(asJson))],
    );
  }
  return [...written];
}

export async function deleteRows(
  tx: ClientBase,
  { table, key }: Place,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `delete from ${name(table)} t using jsonb_populate_recordset(null::${name(table)}, $1) k
      where t.${name(key)} = k.${name(key)}`,
    [JSON.stringify(ids.map((id) => ({ [key]: id })))],
  );
}

/** Groups rows by their columns: one group, unless a fold names columns in some of its rows only. */
function byColumns(rows: readonly object[]): Iterable<readonly object[]> {
  const groups = new Map<string, object[]>();
  for (const row of rows) {
    const columns = Object.keys(row).join();
    const group = groups.get(columns);
    if (group) group.push(row);
    else groups.set(columns, [row]);
  }
  return groups.values();
}

const asJson = (row: object): object =>
  Object.fromEntries(Object.entries(row).map(([column, value]) => [column, jsonOf(value)]));

function jsonOf(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return typeof value === 'bigint' ? value.toString() : value;
}

const name = (identifier: string): string => escapeIdentifier(identifier);
