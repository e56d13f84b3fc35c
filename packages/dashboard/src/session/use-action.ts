import { useState } from 'react';

interface State {
  readonly isPending: boolean;
  readonly error?: unknown;
}

/** Runs the action of a form or a button, and tells whether it is under way and how it failed. */
export function useAction<Input extends readonly unknown[]>(
  act: (...input: Input) => Promise<void>,
) {
  const [state, setState] = useState<State>({ isPending: false });
  const run = async (...input: Input) => {
    setState({ isPending: true });
    try {
      await act(...input);
      setState({ isPending: false });
    } catch (error) {
      setState({ isPending: false, error });
    }
  };
  return { error: undefined, ...state, run };
}
