import type { PostgresEventStore } from '@junction/eventsourcing-postgres';
import type { AuthEvent } from '../../domain/auth-event.js';
import { type AccountNotices, standingOf } from './account-notices.js';

/**
 * The store for the streams of API keys, which queues a mail to the owner about each event in the transaction that
 * appends the event.
 */
export function noticingStore(
  store: PostgresEventStore<AuthEvent>,
  notices: AccountNotices,
): PostgresEventStore<AuthEvent> {
  const transact: typeof store.transact = async (appends, context, extra) => {
    const result = await store.transact(appends, context, async (tx, appended) => {
      const made = await extra(tx, appended);
      const events = appends.flatMap((append) => append.events);
      const userId = events.map(({ data }) => ('userId' in data ? data.userId : '')).at(0);
      const before = userId && (await standingOf(tx, userId, 'for no key update'));
      if (before && !appended.repeated) await notices.add(tx, before, events);
      return made;
    });
    notices.announce();
    return result;
  };
  return {
    ...store,
    transact,
    append: async (appends, context = {}) =>
      transact(appends, context, async (_, appended) => appended),
  };
}
