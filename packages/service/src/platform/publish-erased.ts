import { encodeDomainEvent } from '@junction/contracts';
import type { Event } from '@junction/eventsourcing';
import { insertOutbox } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { DeletedUser } from '../callers/index.js';
import type { PlatformConfig } from './platform.js';
import type { Erasure, ServiceDefinition } from './service.js';

/**
 * Reports what a service has deleted of users, or ended of those whose account is closed, in the transaction that
 * does so: auth writes it on the receipt.
 */
export async function publishErased<Config extends PlatformConfig, E extends Event>(
  tx: pg.ClientBase,
  { name: service, streams: { topic, source } }: ServiceDefinition<Config, E>,
  users: readonly DeletedUser[],
  countsOf: Erasure['countsOf'],
): Promise<void> {
  const occurredAt = new Date();
  await insertOutbox(
    tx,
    users.map(({ userId, isFinal }) => {
      const type = isFinal ? 'user.erased' : 'user.ended';
      const counts = countsOf(userId);
      const payload = encodeDomainEvent(type, { userId, service, counts, occurredAt });
      return { topic, source, key: userId, type, subject: userId, payload };
    }),
  );
}
