import type { Pool, PoolClient } from 'pg';

/**
 * Returns a view of a pool whose work ends when the signal aborts: what waits for a connection gets none, and a
 * connection in use is cut, so that Postgres ends its statement (client_connection_check_interval). Both reject, with
 * the signal's reason or as an outage.
 *
 * A cut connection is not used again. A cancel request (PostgreSQL documentation, 54.2.8) would spare it, but costs
 * a connection as well, and may meet the next statement of the connection.
 */
export const poolUntil = (pool: Pool, signal: AbortSignal): Pool =>
  Object.create(pool, {
    connect: { value: () => connectUntil(pool, signal) },
    query: {
      async value(...query: unknown[]): Promise<unknown> {
        const client = await connectUntil(pool, signal);
        try {
          return await Reflect.apply(client.query, client, query);
        } finally {
          client.release();
        }
      },
    },
  });

async function connectUntil(pool: Pool, signal: AbortSignal): Promise<PoolClient> {
  signal.throwIfAborted();
  const client = await pool.connect();
  const release = client.release.bind(client);
  // The client's own end would wait for the statement.
  const cut = () => void client.connection.stream.destroy();
  client.release = (error) => {
    signal.removeEventListener('abort', cut);
    release(signal.aborted || error);
  };
  signal.addEventListener('abort', cut);
  if (signal.aborted) {
    client.release();
    throw signal.reason;
  }
  return client;
}
