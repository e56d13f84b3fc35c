import { type Decider, type Event, replay } from './decider.js';
import type { EventStore, LoadOptions } from './event-store.js';

/** State of a stream at a version. */
export interface LoadedState<State> {
  readonly state: State;
  readonly version: number;
}

/** Returns the current state of a stream: its events folded by the decider. */
export async function loadState<State, E extends Event>(
  store: Pick<EventStore<E>, 'load'>,
  decider: Pick<Decider<State, never, E>, 'initialState' | 'evolve'>,
  streamId: string,
  options?: LoadOptions,
): Promise<LoadedState<State>> {
  const { history, version } = await store.load(streamId, options);
  return { state: replay(decider, history), version };
}
