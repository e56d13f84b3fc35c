/** The user closed the dialog that asks for the second factor, or the password. */
export class StepUpCancelledError extends Error {
  override readonly name = 'StepUpCancelledError';
}

interface StepUp {
  readonly done: Promise<void>;
  readonly succeed: () => void;
  readonly cancel: () => void;
}

let current: StepUp | undefined;
const listeners = new Set<() => void>();

/**
 * Asks for the second factor, or for the password when the user has none. Calls that need a step-up at the same time
 * share one dialog.
 * @throws StepUpCancelledError when the user closes the dialog
 */
export function demandStepUp(): Promise<void> {
  current ??= begin();
  for (const tell of listeners) tell();
  return current.done;
}

/** Store that the dialog subscribes to (useSyncExternalStore). */
export const stepUps = {
  current: (): StepUp | undefined => current,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

function begin(): StepUp {
  let resolve = () => {};
  let reject: (reason: Error) => void = () => {};
  const done = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  const end = (settle: () => void) => () => {
    current = undefined;
    settle();
    for (const tell of listeners) tell();
  };
  const words = 'Nothing was changed, because you did not confirm that it is you.';
  return {
    done,
    succeed: end(() => resolve()),
    cancel: end(() => reject(new StepUpCancelledError(words))),
  };
}
