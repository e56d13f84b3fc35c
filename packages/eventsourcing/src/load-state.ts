import { type Decider, type Event, replay } from './decider.js';
import type { EventStore, LoadOptions } from './event-store.js';

/** A state, and the version of the stream it is the state at. */
export interface LoadedState<State> {
  readonly state: State;
  readonly version: number;
}

/** The current state of a stream: its events folded by the decider. */
export async function loadState<State, E extends Event>(
  store: Pick<EventStore<E>, 'load'>,
  decider: Pick<Decider<State, never, E>, 'initialState' | 'evolve'>,
  streamId: string,
  options?: LoadOptions,
): Promise<LoadedState<State>> {
  const { history, version } = await store.load(streamId, options);
  return { state: replay(decider, history), version };
}
