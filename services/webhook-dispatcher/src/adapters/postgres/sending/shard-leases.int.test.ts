import { beforeEach, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { dispatcherSchema } from '../../../../test/on-postgres.js';
import { shardLeases } from './shard-leases.js';

const database = useDatabase(dispatcherSchema);
beforeEach(async () => {
  await database().pool.query(`update shard_leases set owner = null, epoch = 0`);
  await database().pool.query('delete from replicas');
});

describe('the leases of shards', () => {
  it('are taken by one, kept by renewal, and refused to others', async () => {
    const leases = shardLeases(database().pool);
    expect(await leases.hold('one', [1, 2])).toHaveLength(2);
    expect(await leases.hold('two', [1, 2, 3])).toEqual([{ shard: 3, epoch: '1' }]);
    expect(await leases.hold('one', [1])).toEqual([{ shard: 1, epoch: '1' }]);
  });

  it('are free again with a new epoch when they ran out, were released or left', async () => {
    const leases = shardLeases(database().pool);
    await leases.hold('one', [1, 2, 3]);
    await database().pool.query(`update shard_leases set expires_at = now() where shard = 1`);
    expect(await leases.hold('two', [1, 2])).toEqual([{ shard: 1, epoch: '2' }]);
    await leases.release('one', [1, 2]);
    expect(await leases.hold('two', [1, 2])).toEqual(
      expect.arrayContaining([
        { shard: 1, epoch: '2' },
        { shard: 2, epoch: '2' },
      ]),
    );
    await leases.leave('one');
    expect(await leases.hold('two', [3])).toEqual([{ shard: 3, epoch: '2' }]);
  });

  it('keep their epoch when they ran out and nobody else came', async () => {
    const leases = shardLeases(database().pool);
    await leases.hold('one', [1]);
    await database().pool.query(`update shard_leases set expires_at = now() where shard = 1`);
    expect(await leases.hold('one', [1])).toEqual([{ shard: 1, epoch: '1' }]);
  });

  it('never have two owners, however many race for them', async () => {
    const leases = shardLeases(database().pool);
    const shards = Array.from({ length: 48 }, (_, shard) => shard);
    const owners = ['a', 'b', 'c', 'd', 'e'];
    const held = await Promise.all(owners.map((owner) => leases.hold(owner, shards)));
    const taken = held.flat().map(({ shard }) => shard);
    expect(new Set(taken).size).toBe(48);
    expect(taken).toHaveLength(48);
  });
});

describe('the replicas', () => {
  it('are those that spoke up lately and did not leave', async () => {
    const leases = shardLeases(database().pool);
    const owners = async (owner: string) =>
      (await leases.announce(owner, [])).map((replica) => replica.owner).sort();
    await owners('one');
    expect(await owners('two')).toEqual(['one', 'two']);
    await leases.leave('one');
    expect(await owners('two')).toEqual(['two']);
    await database().pool.query(`update replicas set expires_at = now()`);
    expect(await owners('three')).toEqual(['three']);
  });

  it('say which partitions they consume, and the last word counts', async () => {
    const leases = shardLeases(database().pool);
    await leases.announce('one', [0, 1, 2]);
    expect(await leases.announce('one', [2])).toEqual([{ owner: 'one', partitions: [2] }]);
  });
});
