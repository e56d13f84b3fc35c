import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listening } from '@junction/testing';
import pg from 'pg';
import { asPostgres, dataFolder, newCluster, startDebianPostgres } from './debian-postgres.js';

const MINUTE = 60_000;
/** Milliseconds of one way: the next town, the other side of a continent, another continent. */
const ONE_WAY_MS = [2, 20, 80];
/** Milliseconds for which a client commits, one row after the other, before its region is lost. */
const WRITING_MS = 2_000;
const folder = mkdtempSync('/var/tmp/junction-regions-');
const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];

beforeAll(() => chmodSync(folder, 0o711));
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

describe.each(ONE_WAY_MS)('a standby in a region that is %d ms away', (oneWayMs) => {
  it(
    'may lack commits that were acknowledged when the primary is lost',
    async () => {
      const { acknowledged, found } = await lost(oneWayMs, false);
      console.log(
        `${oneWayMs} ms, asynchronous: ${acknowledged} commits, ${Math.max(0, acknowledged - found)} lost`,
      );
      // Nearer by, one client may be slower than the road.
      if (oneWayMs === Math.max(...ONE_WAY_MS)) expect(acknowledged).toBeGreaterThan(found);
      else expect(acknowledged).toBeGreaterThanOrEqual(found);
    },
    2 * MINUTE,
  );

  it(
    'has all of them where a commit waits for it',
    async () => {
      const { acknowledged, found } = await lost(oneWayMs, true);
      console.log(
        `${oneWayMs} ms, synchronous: ${acknowledged} commits, ${Math.max(0, acknowledged - found)} lost`,
      );
      expect(acknowledged).toBeGreaterThan(0);
      expect(found).toBe(acknowledged);
    },
    2 * MINUTE,
  );
});

/** Loses a region while a client commits there. Returns how many commits it was told of, and how many the other has. */
async function lost(oneWayMs: number, synchronous: boolean) {
  const at = path.join(folder, `${oneWayMs}-${synchronous}`);
  const primary = await startDebianPostgres(newCluster(`${at}-primary`), `${at}-primary.log`);
  closing.push(() => primary.stop());
  const road = await roadTo(primary.port);
  closing.push(() => road.close());
  primary.query('create table commits (n int)');
  const copy = dataFolder(`${at}-standby`);
  // Not by the road, which this process keeps open and which stands still while it waits for a program.
  const from = ['--host=127.0.0.1', `--port=${primary.port}`, '--username=postgres'];
  asPostgres(
    'pg_basebackup',
    ...from,
    '--checkpoint=fast',
    '--write-recovery-conf',
    '--pgdata',
    copy,
  );
  const standby = await startDebianPostgres(copy, `${at}-standby.log`, [
    `primary_conninfo=host=127.0.0.1 port=${road.port} user=postgres`,
  ]);
  closing.push(() => standby.stop());
  road.lengthen(oneWayMs);
  if (synchronous) {
    primary.query("alter system set synchronous_standby_names = '*'");
    primary.query('select pg_reload_conf()');
  }

  const client = new pg.Client({ host: '127.0.0.1', port: primary.port, user: 'postgres' });
  client.on('error', () => undefined);
  await client.connect();
  const untilMs = performance.now() + WRITING_MS;
  let acknowledged = 0;
  while (performance.now() < untilMs) {
    await client.query('insert into commits values ($1)', [acknowledged + 1]);
    acknowledged += 1;
  }
  // At the answer to the last commit, and not some time after it, in which it could arrive.
  road.cut();
  await client.end();
  await primary.stop();
  standby.query('select pg_promote()');
  const found = Number(standby.query('select count(*) from commits'));
  return { acknowledged, found };
}

/** A road on which everything takes so long, one way, until it is cut. */
async function roadTo(port: number) {
  let oneWayMs = 0;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
      one.on('data', (chunk) => setTimeout(() => other.writable && other.write(chunk), oneWayMs));
    }
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const { url, close } = await listening(server);
  return {
    port: Number(new URL(url).port),
    lengthen: (ms: number) => (oneWayMs = ms),
    cut() {
      server.close();
      cut();
    },
    async close() {
      cut();
      await close();
    },
  };
}
