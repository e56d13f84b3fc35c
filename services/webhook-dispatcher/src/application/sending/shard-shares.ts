import { type Member, shareOf } from '@junction/eventsourcing/leases';
import { SHARDS } from '../../domain/shard.js';

/** Attributes that a replica announces. */
export interface Reading {
  /** Partitions of the topic of events that the replica consumes. */
  readonly partitions: readonly number[];
}

/**
 * Number of partitions of the topic of events. SHARDS is a multiple, so the users of a shard come on one partition, if
 * their producer hashes keys as Kafka does.
 */
const PARTITIONS = 12;
const SHARD_NUMBERS = Array.from({ length: SHARDS }, (_, shard) => shard);

/**
 * Returns the shards that this owner should send for: those whose users' partition it alone consumes, so that it sends
 * what it reads, and its portion of those that several or no replicas consume.
 */
export const wantedShards = (
  owner: string,
  replicas: readonly Pick<Member<Reading>, 'owner' | 'attributes'>[],
): readonly number[] =>
  shareOf(owner, SHARD_NUMBERS, replicas, ({ attributes }, shard) =>
    attributes.partitions.includes(shard % PARTITIONS),
  );
