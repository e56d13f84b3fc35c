import { newId } from '@junction/contracts';
import {
  EVENTS_APPENDED,
  type Notifier,
  type PostgresEventStore,
  postgresEventStore,
} from '@junction/eventsourcing/postgres';
import type { RefusedRequest } from '@junction/service/callers';
import { toAppError } from '@junction/service/http';
import type { Logger } from '@junction/service/process';
import type pg from 'pg';
import { type Asked, type Facts, OPS, type OpsEvent, opsCodec } from './operation.js';

/** Leaves an event of every call: before the answer of a read, around the work of a change. */
export interface Journal {
  /**
   * Records a read before it is answered. When this rejects nothing is shown: what cannot be recorded does not happen.
   */
  read(actor: Actor, method: string, asked: Facts): Promise<void>;

  /** Records the request, runs it, records the outcome, and returns the answer. */
  change<T>(actor: Actor, method: string, asked: Facts, work: () => Promise<Done<T>>): Promise<T>;

  /** Records how often a known caller was refused. `operatorRefusals` bounds how many of these events there are. */
  refused(refusal: RefusedRequest, attempts: number): Promise<void>;
}

/** Caller of an operators' method: a service account, or a user who is an operator. */
export type Actor = { readonly clientId: string } | { readonly userId: string };

/** A change that was made. */
export interface Done<T> {
  readonly answer: T;
  /** Result as the event stores it. */
  readonly result: Facts;
}

export interface JournalOptions {
  /** The service's name. */
  readonly name: string;
  readonly pool: pg.Pool;
  readonly notifier: Notifier;
  readonly log: Logger;
}

/** Creates the journal of a service, in its own event store. */
export function operatorJournal({ name, pool, notifier, log }: JournalOptions): Journal {
  const store = postgresEventStore<OpsEvent>({
    pool,
    codec: opsCodec,
    source: `junction/${name}`,
    afterCommit: () => notifier.notify(EVENTS_APPENDED),
  });
  const begin = async (
    who: Actor,
    asked: Pick<Asked, 'method' | 'arguments'>,
    type: 'ops.read' | 'ops.requested',
  ) => {
    const { streamId, actor, named, append } = streamFor(store, who);
    await append({ type, data: { ...named, ...asked } });
    log.info({ stream_id: streamId, actor_id: actor.id, method: asked.method }, 'operator');

    // The work is done or refused by then, and the caller must get its outcome, not an error of the journal.
    return (event: OpsEvent) =>
      append(event).catch((error: unknown) => {
        log.error(
          { err: error, stream_id: streamId, keep: true },
          'the outcome of a change is not recorded',
        );
      });
  };

  return {
    async read(actor, method, asked) {
      await begin(actor, { method, arguments: asked }, 'ops.read');
    },

    async change(actor, method, asked, work) {
      const end = await begin(actor, { method, arguments: asked }, 'ops.requested');
      try {
        const { answer, result } = await work();
        await end({ type: 'ops.completed', data: { result } });
        return answer;
      } catch (error) {
        await end({ type: 'ops.failed', data: { code: toAppError(error).code } });
        throw error;
      }
    },

    async refused({ actor, method, code }, attempts) {
      const { named, append } = streamFor(store, actor);
      const data = { ...named, method, arguments: {}, code, attempts };
      await append({ type: 'ops.refused', data });
    },
  };
}

/** Creates a stream for one call or one refusal of an actor. */
function streamFor(store: PostgresEventStore<OpsEvent>, who: Actor) {
  const streamId = `${OPS}-${newId('op')}`;
  const [actor, named] =
    'userId' in who
      ? [{ kind: 'user', id: who.userId } as const, { userId: who.userId }]
      : [{ kind: 'service', id: who.clientId } as const, { clientId: who.clientId }];
  const append = async (event: OpsEvent) => {
    await store.append([{ streamId, expected: 'any', events: [event] }], { metadata: { actor } });
  };
  return { streamId, actor, named, append };
}
