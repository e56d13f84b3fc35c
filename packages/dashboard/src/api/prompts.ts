/** The user closed a dialog that a request waited for. */
export class PromptCancelledError extends Error {
  override readonly name = 'PromptCancelledError';
}

interface Asked {
  readonly done: Promise<void>;
  readonly succeed: () => void;
  readonly cancel: () => void;
}

/** Dialog that requests wait for. Requests that need the same one at the same time share it. */
export interface Prompt {
  /**
   * Opens the dialog, and resolves when the user has done what it asks.
   * @throws PromptCancelledError when the user closes it
   */
  demand(): Promise<void>;
  /** Returns the ends of the open dialog; undefined: no dialog is open (store for useSyncExternalStore). */
  current(): Asked | undefined;
  subscribe(listener: () => void): () => void;
  /** Returns whether a page that can show the dialog is there. */
  isHeard(): boolean;
}

/** Asks for the second factor, or for the password when the user has none. */
export const stepUps = prompt(
  'Nothing was changed, because you did not confirm that it is you. Your session goes on.',
);

/** Asks the user of a session that has ended to sign in again. */
export const signIns = prompt(
  'Your session has ended, so nothing was sent. What you typed stays here: try again, and sign in.',
);

/** `cancelled`: words of the error when the user closes the dialog. */
function prompt(cancelled: string): Prompt {
  const listeners = new Set<() => void>();
  let current: Asked | undefined;

  const tellAll = () => {
    for (const tell of listeners) tell();
  };
  const begin = (): Asked => {
    let resolve = () => {};
    let reject: (reason: Error) => void = () => {};
    const done = new Promise<void>((fulfil, refuse) => {
      resolve = fulfil;
      reject = refuse;
    });
    const end = (settle: () => void) => () => {
      current = undefined;
      settle();
      tellAll();
    };
    return {
      done,
      succeed: end(() => resolve()),
      cancel: end(() => reject(new PromptCancelledError(cancelled))),
    };
  };

  return {
    demand() {
      current ??= begin();
      tellAll();
      return current.done;
    },
    current: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isHeard: () => listeners.size > 0,
  };
}
