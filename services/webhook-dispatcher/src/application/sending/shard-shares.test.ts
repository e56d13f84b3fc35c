import { describe, expect, it } from '@jest/globals';
import { wantedShards } from './shard-shares.js';

describe('the shards a replica wants', () => {
  it('are those whose users it reads, and a portion of those that no replica reads', () => {
    const replicas = [
      { owner: 'a', attributes: { partitions: [0, 1, 2] } },
      { owner: 'b', attributes: { partitions: [3, 4, 5, 6] } },
    ];
    const [a, b] = ['a', 'b'].map((owner) => wantedShards(owner, replicas));
    const read = (shards: readonly number[] = []) =>
      new Set(shards.map((shard) => shard % 12).filter((partition) => partition < 7));
    expect(read(a)).toEqual(new Set([0, 1, 2]));
    expect(read(b)).toEqual(new Set([3, 4, 5, 6]));
    expect([...(a ?? []), ...(b ?? [])]).toHaveLength(48);
    expect([a, b].map((shards) => shards?.some((shard) => shard % 12 > 6))).toEqual([true, true]);
  });
});
