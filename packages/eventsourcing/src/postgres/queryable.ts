import type pg from 'pg';

/** A pool or a connection: anything that runs one statement. */
export interface Queryable {
  query<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<R>>;
}
