import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { SHARDS } from '../../domain/shard.js';
import { keepLeases, type LeaseStore, type Leases } from './leases.js';

const SECOND = 1_000;

afterEach(() => void jest.useRealTimers());

describe('the leases of a replica', () => {
  it('are all shards while it is alone, and its share when another comes', async () => {
    const { leases, table, pass } = await keeping();
    expect(leases.owned()).toHaveLength(SHARDS);
    table.alive = ['me', 'other'];
    await pass(2 * SECOND);
    expect(leases.owned().length).toBeGreaterThan(SHARDS / 4);
    expect(leases.owned().length).toBeLessThan((SHARDS * 3) / 4);
    expect([...table.owners.values()].filter((owner) => owner === undefined).length).toBe(
      SHARDS - leases.owned().length,
    );
  });

  it('are kept for what is under way, but nothing new is sent under them', async () => {
    const { leases, table, pass, world, lost } = await keeping();
    world.busy = true;
    table.alive = ['me', 'other'];
    await pass(2 * SECOND);
    const kept = [...table.owners].filter(([, owner]) => owner === 'me').length;
    expect(kept).toBe(SHARDS);
    expect(leases.owned().length).toBeLessThan(SHARDS);
    expect(world.releases).toBe(0);
    world.busy = false;
    await pass(0.1 * SECOND);
    expect(world.releases).toBe(1);
    expect([...table.owners.values()]).toContain(undefined);
    expect(lost.length).toBe(SHARDS - leases.owned().length);
  });

  it('are given up two seconds later whatever is under way, and the work of the others goes on', async () => {
    const { leases, table, pass, world, lost } = await keeping();
    world.busyShards = [...table.owners.keys()];
    table.alive = ['me', 'other'];
    await pass(2 * SECOND);
    const mine = leases.owned();
    await pass(1.9 * SECOND);
    expect([...table.owners.values()]).not.toContain(undefined);
    await pass(0.1 * SECOND);
    expect([...table.owners].flatMap(([shard, owner]) => (owner === 'me' ? shard : []))).toEqual(
      mine,
    );
    expect(lost).toHaveLength(SHARDS - mine.length);
    expect(leases.owned()).toEqual(mine);
  });

  it('count for five seconds after the last renewal, whatever the table says', async () => {
    const { leases, table, pass } = await keeping();
    table.isDown = true;
    await pass(4.9 * SECOND);
    expect(leases.epochOf(7)).toBe('1');
    await pass(0.2 * SECOND);
    expect(leases.epochOf(7)).toBeUndefined();
    expect(leases.healthy()).toBe(false);
  });

  it('are given up one by one, as soon as nothing of the shard is under way', async () => {
    const { leases, table, world, pass } = await keeping();
    world.busyShards = [7];
    const stopped = leases.stop(5 * SECOND);
    await pass(0);
    expect(leases.owned()).toEqual([]);
    expect([...table.owners].filter(([, owner]) => owner === 'me')).toEqual([[7, 'me']]);
    world.busyShards = [];
    await pass(0.1 * SECOND);
    await stopped;
    expect(table.owners.get(7)).toBeUndefined();
  });

  it('are given up at the deadline whatever is under way', async () => {
    const { leases, table, world, pass } = await keeping();
    world.busyShards = [7];
    const stopped = leases.stop(SECOND);
    await pass(0.9 * SECOND);
    expect(table.owners.get(7)).toBe('me');
    await pass(0.2 * SECOND);
    await stopped;
    expect(table.owners.get(7)).toBeUndefined();
  });

  it('are taken without waiting for the next renewal once they are free, and that is told', async () => {
    const { leases, table, pass, gained } = await keeping();
    table.owners.set(7, 'other');
    await pass(2 * SECOND);
    table.owners.set(7, undefined);
    const before = gained();
    leases.seize();
    await pass(0);
    expect(leases.epochOf(7)).toBe('2');
    expect(gained()).toBe(before + 1);
  });
});

async function keeping() {
  jest.useFakeTimers();
  const table = {
    alive: ['me'],
    isDown: false,
    owners: new Map<number, string | undefined>(
      Array.from({ length: SHARDS }, (_, shard) => [shard, undefined]),
    ),
    epochs: new Map<number, number>(),
  };
  const world = { nowMs: 0, busy: false, busyShards: [] as number[], releases: 0 };
  let gains = 0;
  const lost: number[] = [];
  const leases: Leases = await keepLeases({
    store: storeOn(table),
    owner: 'me',
    partitions: () => [],
    monotonicMs: () => world.nowMs,
    busy: (shard) => world.busy || world.busyShards.includes(shard),
    onLost: (shard) => void lost.push(shard),
    onGained: () => void gains++,
    onReleased: () => void world.releases++,
    onError() {},
  });
  const pass = async (ms: number) => {
    world.nowMs += ms;
    await jest.advanceTimersByTimeAsync(ms);
  };
  return { leases, table, world, lost, pass, gained: () => gains };
}

interface Table {
  alive: string[];
  isDown: boolean;
  owners: Map<number, string | undefined>;
  epochs: Map<number, number>;
}

const storeOn = (table: Table): LeaseStore => ({
  async announce() {
    if (table.isDown) throw new Error('down');
    return table.alive.map((owner) => ({ owner, partitions: [] }));
  },
  async hold(owner, shards) {
    const held = shards.filter((shard) => [owner, undefined].includes(table.owners.get(shard)));
    return held.map((shard) => {
      const isNew = table.owners.get(shard) !== owner;
      table.owners.set(shard, owner);
      const epoch = (table.epochs.get(shard) ?? 0) + (isNew ? 1 : 0);
      table.epochs.set(shard, epoch);
      return { shard, epoch: String(epoch) };
    });
  },
  async release(_, shards) {
    if (table.isDown) throw new Error('down');
    for (const shard of shards) table.owners.set(shard, undefined);
  },
  async retire(owner) {
    table.alive = table.alive.filter((other) => other !== owner);
  },
  async leave() {
    for (const shard of table.owners.keys()) table.owners.set(shard, undefined);
  },
});
