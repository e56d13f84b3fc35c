import { namedParameters, type Queryable } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import { prefixIds, storedIds } from './stored-id.js';

/** A statement with its values. */
export type Statement<Row extends pg.QueryResultRow> = (
  db: Queryable,
  values?: Readonly<Record<string, unknown>>,
) => Promise<pg.QueryResult<Row>>;

/**
 * SQL with parameters such as `:delivery_id`. Ids are UUIDs in rows and have their prefix in memory: they change
 * here, in the values and in the rows, by the name of the parameter or column.
 *
 * `name`: it is prepared under that. Null: it is planned for its values each time.
 */
export function statement<Row extends pg.QueryResultRow>(
  name: string | null,
  sql: string,
): Statement<Row> {
  const bind = namedParameters(sql);
  return async (db, values = {}) => {
    const bound = bind(storedIds(values));
    const result = await db.query<Row>(name === null ? bound : { name, ...bound });
    prefixIds(result.rows, result.fields);
    return result;
  };
}
