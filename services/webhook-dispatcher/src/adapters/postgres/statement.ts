import { namedParameters, type Queryable } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import { type Ids, idConversion } from './stored-id.js';

/** A statement with its values. */
export type Statement<Row extends pg.QueryResultRow> = (
  db: Queryable,
  values?: object,
) => Promise<pg.QueryResult<Row>>;

/**
 * SQL with parameters such as `:delivery_id`.
 *
 * `name`: it is prepared under that. Null: it is planned for its values each time. `ids`: parameters and columns that
 * are UUIDs in rows and have a prefix in memory, such as `{ delivery_id: 'dlv' }`; an array that `uuids` has made is
 * converted already. Throws a TypeError for a declared name that is neither a parameter nor a column.
 */
export function statement<Row extends pg.QueryResultRow>(
  name: string | null,
  sql: string,
  ids: Ids = {},
): Statement<Row> {
  const bind = namedParameters(sql);
  const { store, restore } = idConversion(ids, bind.names);
  return async (db, given = {}) => {
    const { text, values } = bind(given as Readonly<Record<string, unknown>>);
    store(values);
    const result = await db.query<Row>(name === null ? { text, values } : { name, text, values });
    restore(result);
    return result;
  };
}

type Definition = Parameters<typeof statement>;
/** A statement with typed values, or with none where they are any object. */
type Asks<Values, Answer> = (
  db: Queryable,
  ...values: object extends Values ? [] : [values: Values]
) => Promise<Answer>;

/** Makes a statement that returns its rows. */
export const all = <Values extends object, Row extends pg.QueryResultRow>(
  ...of: Definition
): Asks<Values, readonly Row[]> => {
  const ask = statement<Row>(...of);
  return async (db, ...[values]) => (await ask(db, values)).rows;
};

/** Makes a statement that returns its first row, if it has one. */
export const first = <Values extends object, Row extends pg.QueryResultRow>(
  ...of: Definition
): Asks<Values, Row | undefined> => {
  const ask = statement<Row>(...of);
  return async (db, ...[values]) => (await ask(db, values)).rows[0];
};

/** Makes a statement that returns whether it has found or changed a row. */
export const some = <Values extends object>(...of: Definition): Asks<Values, boolean> => {
  const ask = statement(...of);
  return async (db, ...[values]) => (await ask(db, values)).rowCount !== 0;
};

type Functions = Readonly<Record<string, (db: never, ...values: never[]) => unknown>>;

/** Connection that all of the functions take. */
type Connection<Table extends Functions> = {
  [Name in keyof Table]: (db: Parameters<Table[Name]>[0]) => void;
}[keyof Table] extends (db: infer Db) => void
  ? Db
  : never;

type Bound<Table extends Functions> = {
  readonly [Name in keyof Table]: Table[Name] extends (
    db: never,
    ...values: infer Values
  ) => infer Answer
    ? (...values: Values) => Answer
    : never;
};

/** Makes a table of functions that take a connection first, from statements as a rule. It is bound to a connection. */
export const table =
  <Table extends Functions>(functions: Table) =>
  (db: Connection<Table>): Bound<Table> =>
    Object.fromEntries(
      Object.entries(functions).map(([name, run]) => [name, run.bind(undefined, db as never)]),
    ) as Bound<Table>;
