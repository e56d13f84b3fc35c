import { AppError } from '@junction/errors';

export interface Telling<P> {
  /** Signal that aborts when the caller has hung up. */
  readonly signal: AbortSignal;
  /** The work as error messages name it, as in "hung up on the rebuild". */
  readonly what: string;
  readonly send: (progress: P) => Promise<void>;
}

/**
 * Works step by step, sends the progress of each step to the caller, and returns the last step; undefined when there
 * was none.
 * @throws AppError `called_off` when the caller hung up before the end.
 */
export async function tell<P>(
  work: AsyncIterable<P>,
  { signal, what, send }: Telling<P>,
): Promise<P | undefined> {
  let last: P | undefined;
  try {
    for await (const progress of work) {
      last = progress;
      await send(progress);
    }
  } catch (cause) {
    if (!signal.aborted) throw cause;
    const message = `Whoever asked for it hung up on ${what}.`;
    throw new AppError('called_off', message, { cause });
  }
  return last;
}
