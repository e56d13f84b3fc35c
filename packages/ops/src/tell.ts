import { AppError } from '@junction/errors';

export interface Telling<P> {
  /** Whoever asked has hung up. */
  readonly signal: AbortSignal;
  /** What they asked for, as in "hung up on the rebuild". */
  readonly what: string;
  readonly send: (progress: P) => Promise<void>;
}

/**
 * Does work step by step, tells whoever asked how far it is, and gives the last step; undefined: there was none.
 * @throws AppError `called_off` when they hung up before the end.
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
