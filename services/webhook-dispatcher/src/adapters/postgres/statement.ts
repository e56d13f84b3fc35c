import { namedParameters, type Queryable } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import { type Ids, idConversion } from './stored-id.js';

/** A statement with its values. */
export type Statement<Row extends pg.QueryResultRow> = (
  db: Queryable,
  values?: Readonly<Record<string, unknown>>,
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
    const { text, values } = bind(given);
    store(values);
    const result = await db.query<Row>(name === null ? { text, values } : { name, text, values });
    restore(result);
    return result;
  };
}
