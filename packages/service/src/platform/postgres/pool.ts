import { withSessionOptions } from '@junction/eventsourcing/postgres';
import { type DatabaseError, Pool, type PoolClient } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import type { Logger, Runtime } from '../../process/index.js';
import type { PlatformConfig } from '../platform.js';
import { currentPassword } from './current-password.js';
import { DISK_FULL, diskWatch } from './disk-watch.js';

export interface PoolOptions {
  /** Shown as application_name: who holds this lock? */
  readonly name: string;
  /** Connections at most. */
  readonly max: number;
  readonly log: Logger;
  /** File that holds the URL: each connection has the password that it holds then. */
  readonly urlFile?: string | undefined;
  /** A longer bound for a pool that runs maintenance. Default 30 s. */
  readonly statementTimeoutMs?: number | undefined;
  /** Called when the database refuses a statement, of any user, because its disk is full. */
  readonly onDiskFull?: (() => void) | undefined;
}

/** Longest statement that reads or moves all events of a store: as long as a gRPC stream may last. */
export const MAINTENANCE_STATEMENT_MS = 15 * 60_000;

const STATEMENT_TIMEOUT_MS = 30_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** Time beyond the server's own timeout, for a server that is gone. */
const NETWORK_GRACE_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 30_000;

/** Creates a bounded pool that survives the loss of its connections. Close it with `pool.end()`. */
export function postgresPool(
  url: string,
  { name, max, log, urlFile, statementTimeoutMs = STATEMENT_TIMEOUT_MS, onDiskFull }: PoolOptions,
): Pool {
  const connection = parse(withSessionOptions(url));
  const { password = '' } = connection;
  const pool = new Pool({
    application_name: name,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + NETWORK_GRACE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    pipeline: true, // a transaction's first statements follow each other without waiting
    // The parsed URL replaces connectionString, whose password would win over a function that returns one.
    ...toClientConfig(connection),
    password: urlFile === undefined ? password : currentPassword(urlFile, password, log),
  });

  // An 'error' without a listener ends the process. The pool listens to idle clients only, so a client
  // that loses its connection between two statements of a transaction needs its own listener.
  pool.on('error', (error) => log.warn({ err: error }, 'postgres connection lost'));
  pool.on('connect', (client) => {
    client.on('error', (error) => log.debug({ err: error }, 'postgres client lost'));
    if (onDiskFull) whenDiskIsFull(client, onDiskFull);
  });
  return pool;
}

/** Watches below every kind of query, so that no query has to remember to report a full disk. */
const whenDiskIsFull = (client: PoolClient, tell: () => void): void =>
  void client.connection.on('errorMessage', ({ code }: DatabaseError) => {
    if (code === DISK_FULL) tell();
  });

/** A service's database, by its URL and the file that held it. */
type Database = Pick<PlatformConfig, 'databaseUrl' | 'databaseUrlFile'>;

/**
 * Returns a function that opens pools on a service's database. Each pool is closed with the service. When a pool meets
 * a full disk, the service is not ready until there is room again.
 */
export function openPools(
  { databaseUrl, databaseUrlFile: urlFile }: Database,
  { log, closing, health }: Pick<Runtime, 'log' | 'closing' | 'health'>,
): (name: string, max: number, statementTimeoutMs?: number) => Pool {
  const disk = diskWatch(log);
  health.add('disk', disk.hasRoom);
  return (name, max, statementTimeoutMs) => {
    const onDiskFull = () => disk.full(pool);
    const pool = postgresPool(databaseUrl, {
      name,
      max,
      log,
      urlFile,
      statementTimeoutMs,
      onDiskFull,
    });
    return closing.add(name, pool, (pool) => pool.end());
  };
}
