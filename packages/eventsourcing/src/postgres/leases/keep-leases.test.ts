import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { keepLeases, type Leases } from './keep-leases.js';
import { shareOf } from './shares.js';

const SECOND = 1_000;
const KEYS = Array.from({ length: 48 }, (_, key) => key);

afterEach(() => void jest.useRealTimers());

describe('the leases of an owner', () => {
  it('are all keys while it is alone, and its portion when another comes', async () => {
    const { leases, table, pass } = await keeping();
    expect(leases.owned()).toHaveLength(KEYS.length);
    table.alive = ['me', 'other'];
    await pass(2 * SECOND);
    expect(leases.owned().length).toBeGreaterThan(KEYS.length / 4);
    expect(leases.owned().length).toBeLessThan((KEYS.length * 3) / 4);
    expect([...table.owners.values()].filter((owner) => owner === undefined).length).toBe(
      KEYS.length - leases.owned().length,
    );
  });

  it('are kept for work under way, but no new work starts under them', async () => {
    const { leases, table, pass, world, lost } = await keeping();
    world.busy = true;
    table.alive = ['me', 'other'];
    await pass(2 * SECOND);
    const kept = [...table.owners].filter(([, owner]) => owner === 'me').length;
    expect(kept).toBe(KEYS.length);
    expect(leases.owned().length).toBeLessThan(KEYS.length);
    expect(world.releases).toBe(0);
    world.busy = false;
    await pass(0.1 * SECOND);
    expect(world.releases).toBe(1);
    expect([...table.owners.values()]).toContain(undefined);
    expect(lost.length).toBe(KEYS.length - leases.owned().length);
  });

  it('are given up two seconds later whatever is under way, and the work of the others goes on', async () => {
    const { leases, table, pass, world, lost } = await keeping();
    world.busyKeys = [...table.owners.keys()];
    table.alive = ['me', 'other'];
    await pass(2 * SECOND);
    const mine = leases.owned();
    await pass(1.9 * SECOND);
    expect([...table.owners.values()]).not.toContain(undefined);
    await pass(0.1 * SECOND);
    expect([...table.owners].flatMap(([key, owner]) => (owner === 'me' ? key : []))).toEqual(mine);
    expect(lost).toHaveLength(KEYS.length - mine.length);
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

  it('are lost when they ran out before they were renewed, though no other owner came', async () => {
    const { leases, table, lost, pass } = await keeping();
    table.isDown = true;
    await pass(3 * SECOND);
    table.isDown = false;
    await pass(SECOND);
    expect(lost).toEqual([]);
    table.isDown = true;
    await pass(5 * SECOND);
    table.isDown = false;
    await pass(SECOND);
    expect(lost).toEqual(KEYS);
    expect(leases.epochOf(7)).toBe('1');
  });

  it('are given up one by one, as soon as nothing of the key is under way', async () => {
    const { leases, table, world, pass } = await keeping();
    world.busyKeys = [7];
    const stopped = leases.stop(5 * SECOND);
    await pass(0);
    expect(leases.owned()).toEqual([]);
    expect([...table.owners].filter(([, owner]) => owner === 'me')).toEqual([[7, 'me']]);
    world.busyKeys = [];
    await pass(0.1 * SECOND);
    await stopped;
    expect(table.owners.get(7)).toBeUndefined();
  });

  it('are given up at the deadline whatever is under way', async () => {
    const { leases, table, world, pass } = await keeping();
    world.busyKeys = [7];
    const stopped = leases.stop(SECOND);
    await pass(0.9 * SECOND);
    expect(table.owners.get(7)).toBe('me');
    await pass(0.2 * SECOND);
    await stopped;
    expect(table.owners.get(7)).toBeUndefined();
  });

  it('are taken without waiting for the next renewal once they are free, and are reported', async () => {
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
    owners: new Map<number, string | undefined>(KEYS.map((key) => [key, undefined])),
    epochs: new Map<number, number>(),
  };
  const world = { nowMs: 0, busy: false, busyKeys: [] as number[], releases: 0 };
  let gains = 0;
  const lost: number[] = [];
  const leases: Leases<number> = await keepLeases({
    ...tableOf('me', table),
    monotonicMs: () => world.nowMs,
    busy: (key) => world.busy || world.busyKeys.includes(key),
    onLost: (key) => void lost.push(key),
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

const tableOf = (owner: string, table: Table) => ({
  table: {
    async hold(keys: readonly number[]) {
      const held = keys.filter((key) => [owner, undefined].includes(table.owners.get(key)));
      return held.map((key) => {
        const isNew = table.owners.get(key) !== owner;
        table.owners.set(key, owner);
        const epoch = (table.epochs.get(key) ?? 0) + (isNew ? 1 : 0);
        table.epochs.set(key, epoch);
        return { key, epoch: String(epoch) };
      });
    },
    async release(keys: readonly number[]) {
      if (table.isDown) throw new Error('down');
      for (const key of keys) table.owners.set(key, undefined);
    },
    async leave() {
      for (const key of table.owners.keys()) table.owners.set(key, undefined);
    },
  },
  async wanted() {
    if (table.isDown) throw new Error('down');
    return shareOf(
      owner,
      KEYS,
      table.alive.map((name) => ({ owner: name })),
    );
  },
  async retire() {
    table.alive = table.alive.filter((other) => other !== owner);
  },
});
