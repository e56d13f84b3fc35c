import { AppError } from '@junction/errors';
import type { Event } from '@junction/eventsourcing';
import { type ProjectionSet, rebuildProjection } from '@junction/eventsourcing-postgres';
import type { Operations, RedriveResult, Some, Wanted } from '@junction/messaging';
import { parse } from '@junction/service-kit/http';
import { type Rotation, rotateKeys } from '@junction/vault';
import type { Actor } from './journal.js';
import type { Methods } from './methods.js';
import type { Facts } from './operation.js';
import { projectionRequest, redriveRequest } from './requests.js';

interface Changeable<E extends Event> {
  readonly projections: ProjectionSet<E>;
  readonly rotation: Rotation;
  readonly operations: () => Operations;
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal;
}

/**
 * Changes that operators make by HTTP. Long changes are only started by the request and go on when its caller is gone;
 * the reads show their progress.
 */
export type Changes = ReturnType<typeof opsChanges>;

export const opsChanges = <E extends Event>(
  { journal, log }: Methods,
  { projections, rotation, operations, stopping: signal }: Changeable<E>,
) => {
  const begin = beginner({ journal, log }, signal);
  return {
    redrive: async (actor: Actor, request: unknown): Promise<Some<RedriveResult>> => {
      const wanted = parse(redriveRequest, request);
      return journal.change(actor, 'RedriveDeadLetters', factsOf(wanted), async () => {
        const by = 'userId' in actor ? actor.userId : actor.clientId;
        const answer = await operations().redrive(wanted, { by });
        return { answer, result: counts(answer.results) };
      });
    },

    /** Starts a rebuild, and resolves when it has started. AppError of `rebuildProjection` when it can't start. */
    async rebuild(actor: Actor, request: unknown): Promise<void> {
      const { name } = parse(projectionRequest, request);
      await begin({
        actor,
        method: 'RebuildProjection',
        asked: { name },
        work: rebuildProjection(projections, name, { signal }),
        resultOf: (last) => ({ eventsDone: last?.eventsDone ?? 0 }),
      });
    },

    /** Starts the rotation of keys, and resolves when it has started. */
    async rotateKeys(actor: Actor): Promise<void> {
      await begin({
        actor,
        method: 'RotateKeys',
        asked: { keyId: rotation.ring.newest.id },
        work: rotateKeys(rotation, { signal }),
        resultOf: (last) => ({ rowsDone: last?.rowsDone ?? 0, rowsLeft: last?.rowsLeft ?? 0 }),
      });
    },
  };
};

/** Resolves as soon as the work has taken its first step, and rejects when it never does; it goes on in any case. */
const beginner =
  ({ journal, log }: Pick<Methods, 'journal' | 'log'>, signal: AbortSignal) =>
  async <P>({ actor, method, asked, work, resultOf }: Begun<P>): Promise<void> =>
    new Promise((resolve, reject) => {
      let last: P | undefined;
      const whole = journal.change(actor, method, asked, async () => {
        for await (const progress of work) {
          last = progress;
          resolve();
        }
        return { answer: undefined, result: resultOf(last) };
      });
      whole.then(resolve, (err: unknown) => {
        const hasBegun = last !== undefined;
        if (hasBegun && !signal.aborted) log.warn({ err, method }, 'an operation has failed');
        reject(AppError.from(err));
      });
    });

interface Begun<P> {
  readonly actor: Actor;
  readonly method: string;
  readonly asked: Facts;
  readonly work: AsyncIterable<P>;
  readonly resultOf: (last: P | undefined) => Facts;
}

export const factsOf = (wanted: Wanted): Facts =>
  wanted.ids ? { ids: wanted.ids.join(' ') } : { ...wanted.filter };

/** Counts results by outcome. */
export function counts(results: readonly { readonly outcome: string }[]): Facts {
  const counted: Record<string, number> = {};
  for (const { outcome } of results) counted[outcome] = (counted[outcome] ?? 0) + 1;
  return counted;
}
