import { encodeDomainEvent } from '@junction/contracts';
import type { Event } from '@junction/eventsourcing';
import { insertOutbox } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { PlatformConfig } from './platform.js';
import type { Erasure, ServiceDefinition } from './service.js';

/**
 * Reports what a service has deleted of users, in the transaction that deletes it: auth writes it on the
 * receipt.
 */
export async function publishErased<Config extends PlatformConfig, E extends Event>(
  tx: pg.ClientBase,
  { name: service, streams: { topic, source } }: ServiceDefinition<Config, E>,
  userIds: readonly string[],
  countsOf: Erasure['countsOf'],
): Promise<void> {
  const occurredAt = new Date();
  await insertOutbox(
    tx,
    userIds.map((userId) => ({
      topic,
      source,
      key: userId,
      type: 'user.erased',
      subject: userId,
      payload: encodeDomainEvent('user.erased', {
        userId,
        service,
        counts: countsOf(userId),
        occurredAt,
      }),
    })),
  );
}
