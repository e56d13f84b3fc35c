import type pg from 'pg';
import { namedParameters } from './named-parameters.js';
import type { Queryable } from './queryable.js';

/** Runs a statement with a value for each of its parameters. */
type Statement<Row extends pg.QueryResultRow> = (
  db: Queryable,
  values?: Readonly<Record<string, unknown>>,
) => Promise<pg.QueryResult<Row>>;

/**
 * Declares a statement whose parameters are written `:name`, as `namedParameters` reads them. With a `name` it is
 * prepared under that name on each connection; without one it is planned for its values each time.
 */
export function statement<Row extends pg.QueryResultRow>(
  sql: string,
  name?: string,
): Statement<Row> {
  const bind = namedParameters(sql);
  return async (db, values = {}) => {
    const bound = bind(values);
    return db.query<Row>(name === undefined ? bound : { name, ...bound });
  };
}
