import type { Decider, Event } from './decider.js';
import type { EventStore } from './event-store.js';

/** A state, and the version of the stream it is the state at. */
export interface Snapshot<State> {
  readonly state: State;
  readonly version: number;
}

/** Shortcuts to the states of long streams. Losing one costs time, never facts. */
export interface Snapshots<State> {
  /** The latest whose state still has the shape of today. */
  find(streamId: string): Promise<Snapshot<State> | undefined>;

  /** So many events had to be replayed after the snapshot. Returns at once; may have one taken. */
  replayed(streamId: string, events: number): void;
}

/** Between a state and what is stored of it. */
export interface StateCodec<State> {
  /**
   * Counts from 1 and grows whenever the state gets another shape or evolve makes something else of an
   * event: snapshots of another shape are not read.
   */
  readonly shape: number;
  /** Personal data must be sealed here. Undefined: no snapshot is to be taken of this state. */
  encode(streamId: string, state: State): Promise<object | undefined>;
  /** Undefined: it cannot be read any more. */
  decode(streamId: string, stored: unknown): Promise<State | undefined>;
}

/** A state without personal data, as JSON. `decode` checks what was stored and gives it its type. */
export const plainState = <State extends object>(
  shape: number,
  decode: (stored: unknown) => State,
): StateCodec<State> => ({
  shape,
  encode: async (_, state) => state,
  decode: async (_, stored) => decode(stored),
});

/** The state of a stream as of now, through the latest snapshot where there is one. */
export async function loadState<State, E extends Event>(
  store: Pick<EventStore<E>, 'load'>,
  { initialState, evolve }: Pick<Decider<State, never, E>, 'initialState' | 'evolve'>,
  streamId: string,
  snapshots?: Snapshots<State>,
): Promise<Snapshot<State>> {
  const snapshot = await snapshots?.find(streamId);
  const { history, version } = await store.load(streamId, snapshot?.version);
  snapshots?.replayed(streamId, history.length);
  const state = history.reduce(
    (state, event) => evolve(state, event),
    snapshot?.state ?? initialState,
  );
  return { state, version };
}
