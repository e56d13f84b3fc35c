import { AppError } from '@junction/errors';
import type { Command, Decider, Event } from './decider.js';
import type { AppendContext, Appended, EventStore } from './event-store.js';
import { loadState, type Snapshots } from './snapshots.js';
import { StreamMovedError } from './stream-moved-error.js';

export const ROUNDS_MAX = 3;

/** What came of a command. No events: there was nothing to do. */
export interface Handled<E extends Event> {
  readonly events: readonly E[];
  /** The stream's version after these events. */
  readonly version: number;
  /** The command id had been handled before; `events` are those stored then. */
  readonly repeated: boolean;
}

export type HandleCommand<C extends Command, E extends Event> = (
  streamId: string,
  command: C,
  context?: AppendContext,
) => Promise<Handled<E>>;

export interface HandlingOptions<State> {
  /** How often to decide, when others come first. Default 3. */
  readonly roundsMax?: number;
  /** For streams that grow long. */
  readonly snapshots?: Snapshots<State> | undefined;
}

/** Load, decide, append. The only road from a command to a stored event. */
export const commandHandler =
  <State, C extends Command, E extends Event>(
    store: EventStore<E>,
    decider: Decider<State, C, E>,
    { roundsMax = ROUNDS_MAX, snapshots }: HandlingOptions<State> = {},
  ): HandleCommand<C, E> =>
  async (streamId, command, context = {}) => {
    for (let round = 1; ; round++) {
      const { state, version } = await loadState(store, decider, streamId, snapshots);
      const decision = attempt(() => decider.decide(command, state));

      // The first time round this command may itself have led to the state that now has nothing to
      // do for it, or refuses it. Its repeat must hear what the first one heard.
      if ('refusal' in decision || decision.events.length === 0) {
        const earlier = await recall(store, streamId, context);
        if (earlier) return earlier;
        if ('refusal' in decision) throw decision.refusal;
        return { events: [], version, repeated: false };
      }

      try {
        const expected = version === 0 ? 'none' : version;
        const { events } = decision;
        return handled(await store.append([{ streamId, expected, events }], context), version);
      } catch (error) {
        if (!(error instanceof StreamMovedError)) throw error;
        // Someone else's facts came first, so decide again with them in view. A stream contended
        // this often has a design problem that more rounds would only hide.
        if (round >= roundsMax) throw contended(error);
      }
    }
  };

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

export const contended = (cause: StreamMovedError): AppError =>
  new AppError(
    'contended',
    'stream_contended',
    'Others are changing the same thing at this moment. Try again.',
    { cause },
  );
