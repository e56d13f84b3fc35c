import { murmur2 } from '../../domain/shard.js';

export interface Replica {
  readonly owner: string;
  /** Of the topic of events: what it consumes. */
  readonly partitions: readonly number[];
}

/** Of the topic of events. Shards are a multiple, so a shard's users come on one of them. */
const PARTITIONS = 12;

/**
 * The replica that should own a shard: the one that consumes its users' partition, so that what it reads
 * is its own to send; of several, or when there is none, the one that scores highest. Everybody who
 * knows the same replicas comes to the same answer, and one that comes or goes moves only its own share.
 */
export function preferredOwner(shard: number, replicas: readonly Replica[]): string | undefined {
  const consuming = replicas.filter(({ partitions }) => partitions.includes(shard % PARTITIONS));
  let best: { readonly owner: string; readonly score: number } | undefined;
  for (const { owner } of consuming.length > 0 ? consuming : replicas) {
    const score = murmur2(Buffer.from(`${owner}/${shard}`)) >>> 0;
    const isHigher = best === undefined || score > best.score;
    if (isHigher || (score === best?.score && owner < best.owner)) best = { owner, score };
  }
  return best?.owner;
}
