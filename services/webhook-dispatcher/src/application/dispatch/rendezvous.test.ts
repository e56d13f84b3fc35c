import { describe, expect, it } from '@jest/globals';
import { SHARDS } from '../../domain/shard.js';
import { preferredOwner } from './rendezvous.js';

const shares = (owners: readonly string[], partitions: Record<string, readonly number[]> = {}) => {
  const replicas = owners.map((owner) => ({ owner, partitions: partitions[owner] ?? [] }));
  return Array.from({ length: SHARDS }, (_, shard) => preferredOwner(shard, replicas));
};

describe('the owner of a shard', () => {
  it('is the same for everybody, in whatever order they list the replicas', () => {
    expect(shares(['a', 'b', 'c'])).toEqual(shares(['c', 'a', 'b']));
  });

  it('is the only replica when there is one, and nobody when there is none', () => {
    expect(new Set(shares(['a']))).toEqual(new Set(['a']));
    expect(preferredOwner(0, [])).toBeUndefined();
  });

  it('gives every replica a share', () => {
    const owned = shares(['a', 'b', 'c']);
    for (const owner of ['a', 'b', 'c']) {
      expect(owned.filter((one) => one === owner).length).toBeGreaterThan(SHARDS / 8);
    }
  });

  it('moves only to the replica that came', () => {
    const before = shares(['a', 'b']);
    const after = shares(['a', 'b', 'c']);
    const moved = after.filter((owner, shard) => owner !== before[shard]);
    expect(moved.length).toBeGreaterThan(0);
    expect(new Set(moved)).toEqual(new Set(['c']));
  });

  it('is who consumes its partition, and one of those who do not only when nobody does', () => {
    const owned = shares(['a', 'b', 'c'], { a: [0, 1, 2], b: [3, 4, 5, 6], c: [] });
    const ownersOf = (partition: number) =>
      new Set(owned.filter((_, shard) => shard % 12 === partition));
    expect([0, 2, 3, 6].map((one) => [...ownersOf(one)])).toEqual([['a'], ['a'], ['b'], ['b']]);
    expect(owned.filter((_, shard) => shard % 12 > 6)).toContain('c');
  });

  it('is one of those who think they consume its partition, the same for everybody', () => {
    const both = { a: [0], b: [0] };
    expect(shares(['a', 'b', 'c'], both)).toEqual(shares(['c', 'b', 'a'], both));
    expect(['a', 'b']).toContain(shares(['a', 'b', 'c'], both)[0]);
  });
});
