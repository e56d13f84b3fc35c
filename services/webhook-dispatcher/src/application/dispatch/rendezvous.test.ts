import { describe, expect, it } from '@jest/globals';
import { SHARDS } from '../../domain/shard.js';
import { preferredOwner } from './rendezvous.js';

const shares = (owners: readonly string[]) =>
  Array.from({ length: SHARDS }, (_, shard) => preferredOwner(shard, owners));

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
});
