/** Number of parts into which the work is cut. Leases, not Kafka's assignment, say who owns which. */
export const SHARDS = 48;

/**
 * Returns the shard that a user belongs to. We hash the id ourselves: foreign producers partition by other hashes, so
 * the partition of a record says nothing.
 */
export const shardOf = (userId: string): number =>
  (murmur2(Buffer.from(userId)) & 0x7fff_ffff) % SHARDS;

const SEED = 0x9747_b28c;
const M = 0x5bd1_e995;
const R = 24;

/** Hashes bytes as Kafka's murmur2 does: a signed 32-bit integer (org.apache.kafka.common.utils.Utils.murmur2). */
export function murmur2(bytes: Buffer): number {
  const wholeWords = bytes.length >> 2;
  let hash = SEED ^ bytes.length;

  for (let word = 0; word < wholeWords; word++) {
    let k = Math.imul(bytes.readInt32LE(word * 4), M);
    k ^= k >>> R;
    hash = Math.imul(hash, M) ^ Math.imul(k, M);
  }

  const rest = bytes.subarray(wholeWords * 4);
  if (rest.length > 0) {
    for (const [index, byte] of rest.entries()) hash ^= byte << (8 * index);
    hash = Math.imul(hash, M);
  }

  hash ^= hash >>> 13;
  hash = Math.imul(hash, M);
  return hash ^ (hash >>> 15);
}
