import type pg from 'pg';

type Db = Pick<pg.ClientBase, 'query'>;
type Tap = (db: Db, statement: pg.QueryConfig) => Promise<pg.QueryResult>;

/**
 * Returns a pool whose statements are executed by `tap`, also within transactions. Statements without
 * values, which begin or end a transaction, go past `tap`.
 */
export function tapped(pool: pg.Pool, tap: Tap): pg.Pool {
  const queryOn = (db: Db) => (asked: string | pg.QueryConfig, values?: unknown[]) => {
    if (typeof asked !== 'string') return tap(db, asked);
    return values === undefined ? db.query(asked) : tap(db, { text: asked, values });
  };
  const connect = async () => {
    const client = await pool.connect();
    return {
      query: queryOn(client),
      on: client.on.bind(client),
      off: client.off.bind(client),
      release: client.release.bind(client),
    };
  };
  return { query: queryOn(pool), connect } as unknown as pg.Pool;
}
