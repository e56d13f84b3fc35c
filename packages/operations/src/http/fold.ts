import type { Command, Decider, Event } from '@junction/eventsourcing';

/** Fold that turns a stream's events into its state: a decider without its decisions. */
export interface Fold {
  readonly initialState: unknown;
  readonly evolve: (state: unknown, event: Event) => unknown;
}

/** Returns a decider's fold without its types. A stream holds events of its own aggregate only, so the cast is safe. */
export const foldOf = <State, E extends Event>({
  initialState,
  evolve,
}: Pick<Decider<State, Command, E>, 'initialState' | 'evolve'>): Fold => ({
  initialState,
  evolve: (state, event) => evolve(state as State, event as E),
});
