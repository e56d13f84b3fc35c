import type { ICustomPartitioner } from 'kafkajs';

const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;

/**
 * Partitions records by key as Java's default does: murmur2 of the key's UTF-8 bytes. kafkajs 2.2.4 computes the same
 * with BigInts, which costs twenty times as much. Our records always have a key.
 */
export const byKey: ICustomPartitioner =
  () =>
  ({ partitionMetadata, message: { key } }) =>
    (murmur2(Buffer.from(key ?? '')) & 0x7fffffff) % partitionMetadata.length;

/** org.apache.kafka.common.utils.Utils#murmur2, as a signed integer of 32 bits. */
export function murmur2(bytes: Buffer): number {
  const { length } = bytes;
  let hash = SEED ^ length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    const mixed = Math.imul(bytes.readInt32LE(at), MULTIPLIER);
    hash = Math.imul(hash, MULTIPLIER) ^ Math.imul(mixed ^ (mixed >>> 24), MULTIPLIER);
  }
  if (at < length) hash = Math.imul(hash ^ bytes.readUIntLE(at, length - at), MULTIPLIER);
  hash = Math.imul(hash ^ (hash >>> 13), MULTIPLIER);
  return hash ^ (hash >>> 15);
}
