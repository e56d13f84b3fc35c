import { describe, expect, it } from '@jest/globals';
import { murmur2, SHARDS, shardOf } from './shard.js';

describe('murmur2', () => {
  // Test vectors of Apache Kafka's own UtilsTest.
  it.each([
    ['21', -973_932_308],
    ['foobar', -790_332_482],
    ['a-little-bit-long-string', -985_981_536],
    ['a-little-bit-longer-string', -1_486_304_829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58_897_971],
    ['abc', 479_470_107],
  ])('hashes %s as Kafka does', (text, hash) => {
    expect(murmur2(Buffer.from(text))).toBe(hash);
  });
});

describe('the shard of a user', () => {
  it('is always the same', () => {
    expect(shardOf('8a5bfb6c-0a3a-4c39-9b1c-0f6f6a4f4d7e')).toBe(
      shardOf('8a5bfb6c-0a3a-4c39-9b1c-0f6f6a4f4d7e'),
    );
  });

  it('lies within the shards, which users fill evenly', () => {
    const filled = new Map<number, number>();
    for (let n = 0; n < 4_800; n++) {
      const shard = shardOf(`user-${n}`);
      filled.set(shard, (filled.get(shard) ?? 0) + 1);
    }

    expect([...filled.keys()].every((shard) => shard >= 0 && shard < SHARDS)).toBe(true);
    expect(filled.size).toBe(SHARDS);
    expect(Math.max(...filled.values())).toBeLessThan(200);
  });
});
