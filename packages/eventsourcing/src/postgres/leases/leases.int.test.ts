import { beforeEach, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import pg from 'pg';
import { leaseTable } from './lease-table.js';
import { members } from './members.js';

const database = useDatabase(async (url) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    create table shard_leases (
      shard smallint primary key, owner text, epoch bigint not null, expires_at timestamptz not null
    );
    create table replicas (
      owner text primary key, expires_at timestamptz not null, attributes jsonb not null
    )`);
  await client.end();
});
beforeEach(async () => void (await database().pool.query('truncate shard_leases, replicas')));

const leases = (owner: string) =>
  leaseTable<number>({
    pool: database().pool,
    owner,
    table: 'shard_leases',
    key: 'shard',
    keyType: 'smallint',
  });
const replica = (owner: string) =>
  members<readonly number[]>({ pool: database().pool, owner, table: 'replicas' });
const lapse = () =>
  database().pool.query(`update shard_leases set expires_at = now() where shard = 1`);

/** Waits until so many statements wait for a row that another transaction has locked. */
async function waiting(count: number): Promise<void> {
  const blocked = 'cardinality(pg_blocking_pids(pid)) > 0 and datname = current_database()';
  for (;;) {
    const { rowCount } = await database().pool.query(
      `select from pg_stat_activity where ${blocked}`,
    );
    if (rowCount === count) return;
  }
}

describe('leases', () => {
  it('are taken by one owner, kept by renewal, and refused to others', async () => {
    const [one, two] = [leases('one'), leases('two')];
    expect(await one.hold([1, 2])).toHaveLength(2);
    expect(await two.hold([1, 2, 3])).toEqual([{ key: 3, epoch: '1' }]);
    expect(await one.hold([1])).toEqual([{ key: 1, epoch: '1' }]);
  });

  it('are free again with a new epoch when they ran out, were released or left', async () => {
    const [one, two] = [leases('one'), leases('two')];
    await one.hold([1, 2, 3]);
    await lapse();
    expect(await two.hold([1, 2])).toEqual([{ key: 1, epoch: '2' }]);
    await one.release([1, 2]);
    expect(await two.hold([1, 2])).toEqual([
      { key: 1, epoch: '2' },
      { key: 2, epoch: '2' },
    ]);
    await one.leave();
    expect(await two.hold([3])).toEqual([{ key: 3, epoch: '2' }]);
  });

  it.each(['release', 'leave'] as const)(
    'are given up by %s while another wants them, without a deadlock',
    async (verb) => {
      const [one, two] = [leases('one'), leases('two')];
      // The rows lie in the other order than that of their keys.
      await one.hold([2]);
      await one.hold([1]);
      const blocker = await database().pool.connect();
      await blocker.query('begin');
      await blocker.query('select from shard_leases where shard = 1 for update');
      const held = two.hold([1, 2]);
      await waiting(1);
      const givenUp = verb === 'release' ? one.release([1, 2]) : one.leave();
      await waiting(2);
      await blocker.query('commit');
      blocker.release();
      expect(await held).toEqual([]);
      await givenUp;
      expect(await two.hold([1, 2])).toHaveLength(2);
    },
  );

  it('keep their epoch when they ran out and nobody else came', async () => {
    await leases('one').hold([1]);
    await lapse();
    expect(await leases('one').hold([1])).toEqual([{ key: 1, epoch: '1' }]);
  });

  it('have a new epoch after a release, also for the owner that released them', async () => {
    await leases('one').hold([1]);
    await leases('one').release([1]);
    expect(await leases('one').hold([1])).toEqual([{ key: 1, epoch: '2' }]);
  });

  it('never have two owners, however many race for them', async () => {
    const keys = Array.from({ length: 48 }, (_, key) => key);
    const owners = ['a', 'b', 'c', 'd', 'e'];
    const held = await Promise.all(
      owners.map((owner, n) => leases(owner).hold(n % 2 ? keys : keys.toReversed())),
    );
    const taken = held.flat().map(({ key }) => key);
    expect(new Set(taken).size).toBe(48);
    expect(taken).toHaveLength(48);
  });
});

describe('members', () => {
  it('are the owners that announced themselves lately and did not leave', async () => {
    const names = async (owner: string) =>
      (await replica(owner).announce([])).map((member) => member.owner).sort();
    await names('one');
    expect(await names('two')).toEqual(['one', 'two']);
    await replica('one').retire();
    expect(await names('two')).toEqual(['two']);
    await database().pool.query(`update replicas set expires_at = now()`);
    expect(await names('three')).toEqual(['three']);
  });

  it('announce attributes to each other, of which the last ones count', async () => {
    await replica('one').announce([0, 1, 2]);
    const [one] = await replica('one').announce([2]);
    expect(one).toMatchObject({ owner: 'one', attributes: [2] });
    expect(one?.expiresInMs).toBeCloseTo(6_000);
  });
});
