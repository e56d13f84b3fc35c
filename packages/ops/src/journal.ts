import { newId } from '@junction/contracts';
import { AppError } from '@junction/errors';
import {
  EVENTS_APPENDED,
  type Notifier,
  postgresEventStore,
} from '@junction/eventsourcing-postgres';
import type { Logger } from '@junction/service-kit/process';
import type pg from 'pg';
import { type Asked, type Facts, OPS, type OpsEvent, opsCodec } from './operation.js';

/** Leaves an event of every call: before the answer of a read, around the work of a change. */
export interface Journal {
  /** When this rejects nothing is shown: what cannot be recorded does not happen. */
  read(caller: Caller, method: string, asked: Facts): Promise<void>;

  /** Records the wish, does the work, records what came of it and gives the answer. */
  change<T>(caller: Caller, method: string, asked: Facts, work: () => Promise<Done<T>>): Promise<T>;
}

/** The service account that asks. */
export interface Caller {
  readonly clientId: string;
}

/** A change that was made. */
export interface Done<T> {
  readonly answer: T;
  /** What the event says of it. */
  readonly result: Facts;
}

export interface JournalOptions {
  /** The service's name. */
  readonly name: string;
  readonly pool: pg.Pool;
  readonly notifier: Notifier;
  readonly log: Logger;
}

/** The journal of a service, in its own event store. */
export function operatorJournal({ name, pool, notifier, log }: JournalOptions): Journal {
  const store = postgresEventStore<OpsEvent>({
    pool,
    codec: opsCodec,
    source: `junction/${name}`,
    afterCommit: () => notifier.notify(EVENTS_APPENDED),
  });
  const begin = async (asked: Asked, type: 'ops.read' | 'ops.requested') => {
    const streamId = `${OPS}-${newId('op')}`;
    const append = async (event: OpsEvent) => {
      const metadata = { actor: { kind: 'service', id: asked.clientId } } as const;
      await store.append([{ streamId, expected: 'any', events: [event] }], { metadata });
    };
    await append({ type, data: asked });
    log.info({ stream_id: streamId, client_id: asked.clientId, method: asked.method }, 'operator');

    // The work is done or refused by then, and that is what the caller must hear.
    return (event: OpsEvent) =>
      append(event).catch((error: unknown) => {
        log.error({ err: error, stream_id: streamId }, 'the outcome of a change is not recorded');
      });
  };

  return {
    async read({ clientId }, method, asked) {
      await begin({ clientId, method, arguments: asked }, 'ops.read');
    },

    async change({ clientId }, method, asked, work) {
      const end = await begin({ clientId, method, arguments: asked }, 'ops.requested');
      try {
        const { answer, result } = await work();
        await end({ type: 'ops.completed', data: { result } });
        return answer;
      } catch (error) {
        await end({ type: 'ops.failed', data: { code: AppError.from(error).code } });
        throw error;
      }
    },
  };
}
