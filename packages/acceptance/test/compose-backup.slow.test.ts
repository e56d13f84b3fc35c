import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  binary,
  type DebianPostgres,
  newCluster,
  ownedByPostgres,
  startDebianPostgres,
} from './debian-postgres.js';
import { ROOT, run } from './manifests.js';

const MINUTE = 60_000;
// Through which the database's own user must pass.
const folder = mkdtempSync('/var/tmp/junction-compose-');
/** A copy of what the scripts look at, and the place of the installation's own files. */
const installation = path.join(folder, 'installation');
const tools = path.join(folder, 'bin');
const log = path.join(folder, 'postgres.log');
let postgres: DebianPostgres;

beforeAll(async () => {
  chmodSync(folder, 0o711);
  for (const script of ['backup.sh', 'upgrade.sh']) {
    cpSync(
      path.join(ROOT, 'infra/docker', script),
      path.join(installation, 'infra/docker', script),
    );
  }
  mkdirSync(path.join(installation, 'production/gateway'), { recursive: true });
  writeFileSync(path.join(installation, 'production/gateway/tls.key'), 'key');
  writeFileSync(path.join(installation, '.env'), 'JUNCTION_VERSION=1.0.0\n');
  mkdirSync(path.join(folder, 'secrets'));
  writeFileSync(path.join(folder, 'secrets/secrets.json'), '{"vault.auth":"k"}');
  postgres = await startDebianPostgres(newCluster(path.join(folder, 'data')), log);
  postgres.query('create table events (n int)');
  engine();
}, MINUTE);

afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the scripts of a small production, on a real Postgres', () => {
  it(
    'back up all databases at one moment while they are written, with what opens them',
    async () => {
      const writer = spawn('sh', [
        '-c',
        `i=0; while [ $i -lt 500 ]; do i=$((i+1)); echo "insert into events values ($i);"; done | psql --quiet --host=127.0.0.1 --port=${postgres.port} --username=postgres`,
      ]);
      const ended = new Promise((resolve) => writer.once('exit', resolve));
      const backup = script('backup.sh', path.join(folder, 'backups')).trim();
      expect(await ended).toBe(0);
      expect(readdirSync(backup).sort()).toEqual([
        '.env',
        'postgres.tar.gz',
        'production',
        'secrets.tar',
      ]);
      expect(statSync(backup).mode & 0o077).toBe(0);
      expect(run('tar', ['-xOf', path.join(backup, 'secrets.tar'), './secrets.json'])).toContain(
        'k',
      );

      await postgres?.stop();
      const restored = path.join(folder, 'restored');
      mkdirSync(restored);
      run('tar', ['-C', restored, '-xzf', path.join(backup, 'postgres.tar.gz')]);
      ownedByPostgres(restored);
      postgres = await startDebianPostgres(restored, log);
      engine();
      // Whatever was committed before the backup is a beginning of what was written, without a gap.
      expect(postgres.query('select count(*) = coalesce(max(n), 0) from events')).toBe('t');
    },
    MINUTE,
  );

  it('upgrade to a version after a backup, and go back by the same command', () => {
    const backups = path.join(folder, 'upgrades');
    expect(script('upgrade.sh', '1.1.0', backups)).toContain('Version 1.1.0 runs.');
    expect(readFileSync(path.join(installation, '.env'), 'utf8')).toBe('JUNCTION_VERSION=1.1.0\n');
    script('upgrade.sh', '1.0.0', backups);
    expect(readFileSync(path.join(installation, '.env'), 'utf8')).toBe('JUNCTION_VERSION=1.0.0\n');
    expect(readdirSync(backups).length).toBeGreaterThan(0);
    expect(asked()).toContain('up --detach --no-build --wait --wait-timeout 900');
  });

  it('leave all as it was when a version is not to be had', () => {
    const failed = spawnSync(
      'bash',
      ['infra/docker/upgrade.sh', 'gone', path.join(folder, 'gone')],
      {
        cwd: installation,
        env: environment(),
        encoding: 'utf8',
      },
    );
    expect(failed.status).not.toBe(0);
    expect(readFileSync(path.join(installation, '.env'), 'utf8')).toBe('JUNCTION_VERSION=1.0.0\n');
    expect(asked().trim().split('\n').at(-1)).toContain('pull');
  });
});

/** Stands for the engine, which this machine has not: what Compose would run in a container runs here. */
function engine(): void {
  mkdirSync(tools, { recursive: true });
  const file = path.join(tools, 'docker');
  writeFileSync(
    file,
    `#!/usr/bin/env bash
echo "$@" >>"${path.join(folder, 'asked')}"
case "$*" in
  "compose exec -T postgres "*) shift 4; exec "${binary('')}$@" --host=127.0.0.1 --port=${postgres.port} ;;
  "compose run --rm --no-deps -T secrets tar -C /secrets/installation -c .") exec tar -C "${path.join(folder, 'secrets')}" -c . ;;
  "compose ps --services") printf 'auth\npostgres\n' ;;
  "compose pull") ! grep -q =gone .env ;;
  "compose up "*) ;;
  *) exit 64 ;;
esac
`,
  );
  chmodSync(file, 0o755);
}

const asked = (): string => readFileSync(path.join(folder, 'asked'), 'utf8');
const environment = () => ({ ...process.env, PATH: `${tools}:${process.env['PATH']}` });

function script(name: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('bash', [`infra/docker/${name}`, ...args], {
    cwd: installation,
    env: environment(),
    encoding: 'utf8',
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return stdout;
}
