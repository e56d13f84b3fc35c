import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { markOf, writeMark } from '../preflight/process-identity.mjs';
import type { GuardedProcess } from '../process/guarded-process.js';
import { spawnGuarded } from '../process/guarded-process.js';
import { tailOf } from '../process/log-file.js';
import { portFor } from '../process/ports.js';
import { waitForLeftover, waitUntilReady } from '../process/readiness.js';
import type { PostgresServer } from '../process/running-server.js';
import { answersQueries } from './answers.js';
import { postgresBinaries } from './binaries.js';
import { ADMIN, preparedCluster } from './cluster.js';
import type { PostgresHome } from './home.js';
import { postgresHome } from './home.js';
import { settingsOf } from './settings.js';

const LET_GO_MS = 30_000;
const GRACE_MS = 8_000;
// Message after the server was killed: its children live on for a moment and hold its memory.
const STILL_HELD = /pre-existing shared memory block|lock file "postmaster\.pid" already exists/;

/** The options of a Postgres server. */
export interface PostgresOptions {
  readonly dataDir: string;
  /** A free one when absent. */
  readonly port?: number | undefined;
  /** Connections it accepts; 200 when absent. */
  readonly connectionsMax?: number;
  /** Data that nobody will miss: no write waits for the disk. */
  readonly ephemeral?: boolean;
  readonly say?: (line: string) => void;
  /** Calls the start off, or stops the server. */
  readonly signal?: AbortSignal | undefined;
}

/** Starts Postgres on a data folder and waits until it answers queries. Throws LocalStackError. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const { say = () => undefined, signal } = options;
  const home = postgresHome(options.dataDir, say);
  await waitForLeftover(home.mark, 'Postgres', say, signal);
  const port = await portFor(options.port, { server: 'Postgres', variable: 'POSTGRES_PORT' });
  const native = postgresBinaries(home.user);
  const password = await preparedCluster(home, native, signal);
  const urlOf = (database: string, role: string, secret: string) =>
    `postgres://${role}:${encodeURIComponent(secret)}@127.0.0.1:${port}/${database}`;
  const adminUrl = urlOf('postgres', ADMIN, password);

  const server = await answering(home, adminUrl, say, () => spawned(home, native, port, options));
  return { port, adminUrl, urlOf, ...server };
}

/** Starts it until it answers, again where the one before it has not quite let go. */
async function answering(
  home: PostgresHome,
  adminUrl: string,
  say: (line: string) => void,
  start: () => GuardedProcess,
): Promise<GuardedProcess> {
  const end = Date.now() + LET_GO_MS;
  for (;;) {
    const server = start();
    try {
      await waitUntilReady({
        ...server,
        server: 'Postgres',
        log: home.log,
        answers: () => answersQueries(adminUrl),
        say,
      });
      return server;
    } catch (error) {
      await server.stop();
      if (Date.now() > end || !STILL_HELD.test(tailOf(home.log, server.logStart))) throw error;
    }
    await sleep(100);
  }
}

function spawned(
  home: PostgresHome,
  native: string,
  port: number,
  options: PostgresOptions,
): GuardedProcess {
  const settings = settingsOf(options, {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '', // none: folders that everybody may write to are no place for it
    shared_buffers: '128MB',
  });
  const server = spawnGuarded({
    command: path.join(native, 'bin', 'postgres'),
    args: ['-D', home.data, ...settings],
    cwd: home.cluster,
    user: home.user,
    log: home.log,
    stopSignal: 'SIGINT', // "fast": SIGTERM would wait for every client to leave
    graceMs: GRACE_MS,
    signal: options.signal,
  });
  const mark = markOf(server.pid);
  if (mark) writeMark(home.mark, mark);
  return server;
}
