import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';

/** A copy of all databases of a server, as files. */
export interface BaseBackup {
  /** Replaces the databases of the server by the copy. The server must not run. */
  restore(): void;
  remove(): void;
}

/**
 * Backs up a server on this machine while it works, as pg_basebackup does:
 * https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP.
 */
export async function baseBackup(adminUrl: string): Promise<BaseBackup> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    const data = rows[0]?.data_directory ?? '';
    const copy = mkdtempSync(path.join(path.dirname(data), 'backup-'));
    await client.query("select pg_backup_start('drill', fast => true)");
    copied(data, copy);
    const stopped = await client.query<{ label: string }>(
      'select labelfile as label from pg_backup_stop(wait_for_archive => false)',
    );
    // Changes that were written during the backup stand in the log up to this point.
    copied(path.join(data, 'pg_wal'), path.join(copy, 'pg_wal'));
    rmSync(path.join(copy, 'postmaster.pid'), { force: true });
    const label = path.join(copy, 'backup_label');
    writeFileSync(label, stopped.rows[0]?.label ?? '');
    const { uid, gid } = statSync(data);
    chownSync(label, uid, gid);
    return {
      restore() {
        for (const name of readdirSync(data)) rmSync(path.join(data, name), { recursive: true });
        copied(copy, data);
      },
      remove: () => rmSync(copy, { recursive: true, force: true }),
    };
  } finally {
    await client.end();
  }
}

/** Copies a folder with owners and modes. Files that change or vanish meanwhile are restored from the log. */
function copied(from: string, to: string): void {
  const take =
    'tar -C "$1" -c --warning=no-file-changed --warning=no-file-removed --ignore-failed-read .';
  execFileSync('sh', [
    '-c',
    `${take} | tar -C "$2" -x --same-owner --preserve-permissions`,
    'copy',
    from,
    to,
  ]);
}
