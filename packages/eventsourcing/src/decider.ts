/** A fact. Its type names what happened, in the past tense; its data is everything needed to know it. */
export interface Event<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly data: Readonly<Data>;
}

/** The data of the events of this type. */
export type DataOf<E extends Event, Type extends E['type']> = Extract<E, Event<Type>>['data'];

/** A request to change something. It may be refused. */
export interface Command<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly data: Readonly<Data>;
}

/**
 * A whole domain: where it starts, what may happen next, and what that changes.
 * All three are pure, so a history replays to the same state on any machine, on any day.
 */
export interface Decider<State, C extends Command, E extends Event> {
  readonly initialState: State;
  readonly decide: (command: C, state: State) => readonly E[];
  readonly evolve: (state: State, event: E) => State;
}

/** The state that a history leads to. */
export const replay = <State, E extends Event>(
  { initialState, evolve }: Pick<Decider<State, never, E>, 'initialState' | 'evolve'>,
  history: readonly E[],
): State => history.reduce((state, event) => evolve(state, event), initialState);
