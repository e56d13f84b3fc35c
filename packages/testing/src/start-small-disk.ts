import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';

const SIZE = '64m';
/** Mount point in a namespace of its own, where the disk hides nothing from anybody. */
const MOUNT = '/mnt';
const ANSWERED_WITHIN_MS = 30_000;

/** A database whose tables lie on a file system of 64 MB, which can be filled. */
export interface SmallDisk {
  readonly url: string;
  /** Fills the disk to the last byte: a table that needs another page does not get it. */
  fill(): Promise<void>;
  free(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A Postgres of its own with such a database; its write-ahead log has room elsewhere. The file system is
 * a tmpfs in a user namespace, so this needs `unshare` and a kernel that lets users have namespaces.
 * Throws with the words of what refused.
 */
export async function startSmallDisk(): Promise<SmallDisk> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'junction-small-disk-'));
  const { startPostgres } = await import('@junction/local-stack');
  const server = await startPostgres({ dataDir, ephemeral: true });
  let disk: Disk | undefined;
  const stop = async () => {
    await server.stop();
    disk?.end();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    disk = await mountedDisk(await ownerOf(server.adminUrl));
    await onServer(server.adminUrl, async (client) => {
      await client.query(`create tablespace small_disk location '${disk?.place}'`);
      await client.query('create database on_small_disk tablespace small_disk');
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const url = new URL(server.adminUrl);
  url.pathname = '/on_small_disk';
  return { url: url.href, fill: disk.fill, free: disk.free, stop };
}

/** Returns the user that Postgres runs as: Postgres can only see into the namespaces of its own user. */
async function ownerOf(adminUrl: string): Promise<{ uid: number; gid: number }> {
  return onServer(adminUrl, async (client) => {
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    const { uid, gid } = statSync(rows[0]?.data_directory ?? '');
    return { uid, gid };
  });
}

async function onServer<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

interface Disk {
  /** The way to it for processes outside of the namespace. */
  readonly place: string;
  fill(): Promise<void>;
  free(): Promise<void>;
  end(): void;
}

/** The shell that holds the namespace ends when this process does: nobody is left to talk to it. */
async function mountedDisk({ uid, gid }: { uid: number; gid: number }): Promise<Disk> {
  const user = process.getuid?.() === uid ? {} : { uid, gid };
  const shell = spawn('unshare', ['--user', '--map-root-user', '--mount', 'sh'], user);
  const ballast = `${MOUNT}/ballast`;
  const tell = async (command: string) => answered(shell, command);
  await tell(`mount -t tmpfs -o size=${SIZE},mode=0700 small-disk ${MOUNT}`);
  return {
    place: `/proc/${shell.pid}/root${MOUNT}`,
    // dd ends with 1 when the disk is full, which is what it is for.
    fill: () => tell(`! dd if=/dev/zero of=${ballast} bs=4096 2>&1`),
    free: () => tell(`rm ${ballast}`),
    end: () => void shell.kill(),
  };
}

/** Has the shell run a command. Rejects when it fails, with all it said. */
function answered(shell: ChildProcessWithoutNullStreams, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const fail = (why: string) => settle(() => reject(new Error(`${command}: ${why} ${said}`)));
    const timer = setTimeout(() => fail('no answer.'), ANSWERED_WITHIN_MS);
    const listen = (chunk: Buffer) => {
      said += chunk.toString();
      const code = /^code (\d+)$/m.exec(said)?.[1];
      if (code === '0') settle(resolve);
      else if (code !== undefined) fail(`ended with ${code}.`);
    };
    const onError = (error: Error) => fail(error.message);
    const onExit = () => fail('the shell is gone.');
    const settle = (how: () => void) => {
      clearTimeout(timer);
      for (const stream of [shell.stdout, shell.stderr]) stream.off('data', listen);
      shell.off('error', onError).off('close', onExit);
      how();
    };
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', listen);
    shell.once('error', onError).once('close', onExit);
    shell.stdin.on('error', () => undefined);
    shell.stdin.write(`${command} >&2; echo "code $?"\n`);
  });
}
