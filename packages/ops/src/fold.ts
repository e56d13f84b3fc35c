import type { Command, Decider, Event } from '@junction/eventsourcing';

/** What a stream's events amount to: a decider without its decisions. */
export interface Fold {
  readonly initialState: unknown;
  readonly evolve: (state: unknown, event: Event) => unknown;
}

/** A stream holds the events of its own aggregate only, so forgetting which they are is safe. */
export const foldOf = <State, E extends Event>({
  initialState,
  evolve,
}: Pick<Decider<State, Command, E>, 'initialState' | 'evolve'>): Fold => ({
  initialState,
  evolve: (state, event) => evolve(state as State, event as E),
});
