import { Pool } from 'pg';
import type { Logger } from '../logging/logger.js';
import type { Life } from '../process/life.js';

export interface PoolOptions {
  /** Shown as application_name: who holds this lock? */
  readonly name: string;
  /** Connections at most. */
  readonly max: number;
  readonly log: Logger;
  /** A longer bound for a pool that runs maintenance. Default 30 s. */
  readonly statementTimeoutMs?: number | undefined;
}

/** As long as a gRPC stream may last: for what reads or moves all events of a store. */
export const MAINTENANCE_STATEMENT_MS = 15 * 60_000;

const STATEMENT_TIMEOUT_MS = 30_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** Beyond the server's own timeout: for a server that is there no more. */
const NETWORK_GRACE_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 30_000;

/** A bounded pool that survives the loss of its connections. Close it with `pool.end()`. */
export function postgresPool(
  url: string,
  { name, max, log, statementTimeoutMs = STATEMENT_TIMEOUT_MS }: PoolOptions,
): Pool {
  const pool = new Pool({
    connectionString: url,
    application_name: name,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + NETWORK_GRACE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
  });

  // An 'error' without a listener ends the process. The pool listens to idle clients only, so a client
  // that loses its connection between two statements of a transaction needs its own listener.
  pool.on('error', (error) => log.warn({ err: error }, 'postgres connection lost'));
  pool.on('connect', (client) => {
    client.on('error', (error) => log.debug({ err: error }, 'postgres client lost'));
  });
  return pool;
}

/** Gives what opens pools on a service's database, each to be closed with the service. */
export const openPools =
  (url: string, { log, closing }: Pick<Life, 'log' | 'closing'>) =>
  (name: string, max: number, statementTimeoutMs?: number): Pool =>
    closing.add(name, postgresPool(url, { name, max, log, statementTimeoutMs }), (pool) =>
      pool.end(),
    );
