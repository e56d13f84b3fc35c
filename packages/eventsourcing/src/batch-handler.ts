import { streamsOf } from './appends.js';
import type { Handled, HandlingOptions } from './command-handler.js';
import { type Command, type Decider, type Event, replay } from './decider.js';
import type { BatchedAppend, BatchingEventStore, EventMetadata } from './event-store.js';
import type { LoadedState } from './load-state.js';
import { retryWhenMoved } from './retry-when-moved.js';

/** A command that is handled together with others. Has no command id, because only the whole batch is repeated. */
export interface BatchedCommand<C extends Command> {
  readonly streamId: string;
  readonly command: C;
  readonly metadata?: EventMetadata;
}

export type HandleCommands<C extends Command, E extends Event> = (
  commands: readonly BatchedCommand<C>[],
) => Promise<readonly Handled<E>[]>;

/**
 * Handles many commands at once: the events of all commands are appended in one statement, or none when one command is
 * refused. A command sees the events of earlier commands of its batch for its stream. Takes at most as many commands as
 * `appendMany`; the answers are in the order of the commands.
 */
export const batchHandler =
  <State, C extends Command, E extends Event>(
    store: BatchingEventStore<E>,
    decider: Decider<State, C, E>,
    { roundsMax }: HandlingOptions = {},
  ): HandleCommands<C, E> =>
  async (commands) =>
    retryWhenMoved(async () => {
      const decided = await decideAll(store, decider, commands);
      await store.appendMany(decided.filter(({ events }) => events.length > 0).map(appendOf));
      return decided.map(({ events, version }) => ({ events, version, repeated: false }));
    }, roundsMax);

interface Decided<E extends Event> {
  readonly streamId: string;
  readonly metadata: EventMetadata | undefined;
  readonly events: readonly E[];
  /** The stream's version after these events. */
  readonly version: number;
}

async function decideAll<State, C extends Command, E extends Event>(
  store: BatchingEventStore<E>,
  decider: Decider<State, C, E>,
  commands: readonly BatchedCommand<C>[],
): Promise<readonly Decided<E>[]> {
  const loaded = await store.loadMany(streamsOf(commands));
  const states = new Map<string, LoadedState<State>>();
  for (const [streamId, { history, version }] of loaded) {
    states.set(streamId, { state: replay(decider, history), version });
  }
  const decided: Decided<E>[] = [];
  for (const { streamId, command, metadata } of commands) {
    const before = states.get(streamId) ?? { state: decider.initialState, version: 0 };
    const events = decider.decide(command, before.state);
    const version = before.version + events.length;
    const state = events.reduce((state, event) => decider.evolve(state, event), before.state);
    states.set(streamId, { state, version });
    decided.push({ streamId, metadata, events, version });
  }
  return decided;
}

function appendOf<E extends Event>(one: Decided<E>): BatchedAppend<E> {
  const { streamId, metadata, events, version } = one;
  const before = version - events.length;
  const expected = before === 0 ? 'none' : before;
  return { appends: [{ streamId, expected, events }], context: metadata ? { metadata } : {} };
}
