import { AppError } from '@junction/errors';
import type { Command, Decider, Event } from './decider.js';
import type { AppendContext, Appended, EventStore } from './event-store.js';
import { loadState } from './load-state.js';
import { retryWhenMoved } from './retry-when-moved.js';

/** Outcome of a command. Without events there was nothing to do. */
export interface Handled<E extends Event> {
  readonly events: readonly E[];
  /** The stream's version after these events. */
  readonly version: number;
  /** True when the command id had been handled before; `events` are those that were stored then. */
  readonly repeated: boolean;
}

export type HandleCommand<C extends Command, E extends Event> = (
  streamId: string,
  command: C,
  context?: HandleContext,
) => Promise<Handled<E>>;

export interface HandleContext extends AppendContext {
  /** Versions of the stream that the command is for. Another version is refused with AppError `precondition_failed`. */
  readonly ifVersion?: readonly number[] | undefined;
}

export interface HandlingOptions {
  /** Maximum number of decisions, when other appends come first. Default 10. */
  readonly roundsMax?: number;
}

/**
 * Loads the stream, decides and appends: the only way from a command to a stored event. When another append came first,
 * the command is decided again; within a transaction the stream is then held, so that the second decision is the last.
 */
export const commandHandler =
  <State, C extends Command, E extends Event>(
    store: EventStore<E>,
    decider: Decider<State, C, E>,
    { roundsMax }: HandlingOptions = {},
  ): HandleCommand<C, E> =>
  async (streamId, command, context = {}) =>
    retryWhenMoved(async (round) => {
      const { state, version } = await loadState(store, decider, streamId, { isHeld: round > 1 });
      if (context.ifVersion?.includes(version) === false) throw changedSince();
      const decision = attempt(() => decider.decide(command, state));

      // An earlier call of this very command may have led to the state in which there is nothing left to do, or which
      // refuses the command. The repeat must get the answer of that earlier call.
      if ('refusal' in decision || decision.events.length === 0) {
        const earlier = await recall(store, streamId, context);
        if (earlier) return earlier;
        if ('refusal' in decision) throw decision.refusal;
        return { events: [], version, repeated: false };
      }

      const expected = version === 0 ? 'none' : version;
      const { events } = decision;
      return handled(await store.append([{ streamId, expected, events }], context), version);
    }, roundsMax);

const changedSince = (): AppError =>
  new AppError(
    'precondition_failed',
    'It was changed since the version that If-Match names. Read it again, and repeat with its ETag.',
  );

type Decision<E> = { readonly events: readonly E[] } | { readonly refusal: unknown };

function attempt<E>(decide: () => readonly E[]): Decision<E> {
  try {
    return { events: decide() };
  } catch (refusal) {
    return { refusal };
  }
}

async function recall<E extends Event>(
  store: EventStore<E>,
  streamId: string,
  { commandId }: AppendContext,
): Promise<Handled<E> | undefined> {
  if (commandId === undefined) return undefined;
  const appended = await store.recall(commandId, [streamId]);
  return appended && handled(appended, 0);
}

const handled = <E extends Event>(appended: Appended<E>, version: number): Handled<E> => ({
  events: appended.events.map(({ event }) => event),
  version: appended.streams[0]?.version ?? version,
  repeated: appended.repeated,
});
