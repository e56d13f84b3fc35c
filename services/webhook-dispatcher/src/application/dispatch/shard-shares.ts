import { type Member, shareOf } from '@junction/leases';
import { SHARDS } from '../../domain/shard.js';

/** What a replica says of itself. */
export interface Reading {
  /** Of the topic of events: what it consumes. */
  readonly partitions: readonly number[];
}

/** Of the topic of events. Shards are a multiple, so a shard's users come on one of them. */
const PARTITIONS = 12;
const SHARD_NUMBERS = Array.from({ length: SHARDS }, (_, shard) => shard);

/**
 * The shards this owner should send for: those whose users' partition it consumes, so that what it reads
 * is its own to send, and its share of those that several or none consume.
 */
export const wantedShards = (
  owner: string,
  replicas: readonly Pick<Member<Reading>, 'owner' | 'attributes'>[],
): readonly number[] =>
  shareOf(owner, SHARD_NUMBERS, replicas, ({ attributes }, shard) =>
    attributes.partitions.includes(shard % PARTITIONS),
  );
