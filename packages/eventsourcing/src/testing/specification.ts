import { expect } from '@jest/globals';
import { type Command, type Decider, type Event, replay } from '../decider.js';

/** Returns the sentence that every domain test is written in: given this history, when this command comes, then … */
export const specification = <State, C extends Command, E extends Event>(
  decider: Decider<State, C, E>,
) => ({
  given: (...history: readonly E[]) => ({
    when: (command: C) => {
      const decide = () => decider.decide(command, replay(decider, history));

      // Not a bare `then`: an object with that method is a thenable, and `await` would call it.
      return {
        thenEvents: (...events: readonly E[]) => expect(decide()).toEqual(events),
        thenNothing: () => expect(decide()).toEqual([]),
        thenRefused: (code: string) => expect(decide).toThrow(expect.objectContaining({ code })),
      };
    },
  }),
});
