import { encodeDomainEvent } from '@junction/contracts';
import { insertOutbox } from '@junction/eventsourcing/postgres';
import type pg from 'pg';

/** Counts, by kind, of what a service held of a user who was deleted. */
export interface ErasedUser {
  readonly userId: string;
  readonly counts: Readonly<Record<string, number>>;
}

export interface ErasedBy {
  readonly service: string;
  /** The service's own topic. */
  readonly topic: string;
  /** ce_source. */
  readonly source: string;
}

/**
 * Reports what a service has deleted of users, in the transaction that deletes it: auth writes it on the
 * receipt. Wake the relay after the commit.
 */
export async function publishErased(
  tx: pg.ClientBase,
  { service, topic, source }: ErasedBy,
  users: readonly ErasedUser[],
): Promise<void> {
  const occurredAt = new Date();
  await insertOutbox(
    tx,
    users.map(({ userId, counts }) => ({
      topic,
      source,
      key: userId,
      type: 'user.erased',
      subject: userId,
      payload: encodeDomainEvent('user.erased', { userId, service, counts, occurredAt }),
    })),
  );
}
