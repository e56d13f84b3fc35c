import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { freePort, spawnGuarded } from '@junction/local-stack/process';
import { eventually } from '@junction/testing';
import { run } from './manifests.js';

const DEBIAN = '/usr/lib/postgresql';
const STOP_GRACE_MS = 10_000;

/** A Postgres of Debian, whose own programs fit it; the packaged one has no `pg_basebackup`. */
export interface DebianPostgres {
  readonly port: number;
  /** Runs a statement as the superuser, and returns its rows as text. */
  query(sql: string): string;
  stop(): Promise<void>;
}

/** Returns the path of a program of Debian's newest Postgres. */
export function binary(name: string): string {
  const versions = readdirSync(DEBIAN).sort((a, b) => Number(a) - Number(b));
  return path.join(DEBIAN, versions.at(-1) ?? '', 'bin', '/', name);
}

/** Runs a program of Postgres as its own user, who refuses to be root. */
export const asPostgres = (name: string, ...args: readonly string[]): string => {
  const [program = '', ...words] = postgresUser(binary(name));
  return run(program, [...words, ...args]);
};

/** Makes an empty folder of data for `asPostgres`. */
export function dataFolder(at: string): string {
  mkdirSync(at, { mode: 0o700 });
  const { uid, gid } = owner();
  chownSync(at, uid, gid);
  return at;
}

/** Gives what was unpacked to the user of Postgres. */
export function ownedByPostgres(at: string): void {
  chmodSync(at, 0o700);
  run('chown', ['-R', `${owner().uid}:${owner().gid}`, at]);
}

/** Makes a cluster of databases that trusts everybody on this machine. */
export const newCluster = (at: string): string => {
  asPostgres('initdb', '--pgdata', dataFolder(at), '--auth', 'trust', '--username', 'postgres');
  return at;
};

/** Starts a Postgres on these data, and waits until it answers. */
export async function startDebianPostgres(
  data: string,
  log: string,
  settings: readonly string[] = [],
): Promise<DebianPostgres> {
  const port = await freePort();
  const all = [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    ...settings,
  ];
  const [command = '', ...args] = postgresUser(binary('postgres'));
  const child = spawnGuarded({
    command,
    args: [...args, '-D', data, ...all.flatMap((setting) => ['-c', setting])],
    log,
    stopSignal: 'SIGINT',
    graceMs: STOP_GRACE_MS,
  });
  const words = [
    '--host=127.0.0.1',
    `--port=${port}`,
    '--username=postgres',
    '--no-psqlrc',
    '--quiet',
  ];
  const query = (sql: string) => run('psql', [...words, '--tuples-only', '--no-align'], sql).trim();
  await eventually(() => query('select 1'));
  return {
    port,
    query,
    async stop() {
      await child.stop();
    },
  };
}

function owner(): { readonly uid: number; readonly gid: number } {
  const [, , uid, gid] = run('getent', ['passwd', 'postgres']).split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

const postgresUser = (program: string): readonly string[] => [
  'setpriv',
  `--reuid=${owner().uid}`,
  `--regid=${owner().gid}`,
  '--clear-groups',
  program,
];
