import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { dataOf, type Open } from '../api/server-sent.js';
import { isTransient } from '../api/transient.js';
import { Failure } from '../failure.js';
import type { OpsContext } from '../world.js';
import { progressDisplay, type Words } from './progress-display.js';

const AGAIN_MS = 1_000;
const GIVE_UP_AFTER_MS = 60_000;

/**
 * Follows work to its phase `done` and shows its progress, also when the service lets go of the call in between: the
 * same call goes on after the last batch. @throws Failure when it was broken off, refused, or away for a minute.
 */
export async function followOperation<Progress extends { readonly phase: string }>(
  context: OpsContext,
  open: Open,
  schema: z.ZodType<Progress>,
  words: Words<Progress>,
): Promise<Progress> {
  const { tell, end } = progressDisplay<Progress>(context, words);
  const call = () => dataOf(open, schema, context.signal);
  return follow(context, call, tell).finally(end);
}

async function follow<Progress extends { readonly phase: string }>(
  { signal, output }: OpsContext,
  call: () => AsyncIterable<Progress>,
  onProgress: (progress: Progress) => void,
): Promise<Progress> {
  let heardAtMs: number | undefined;
  for (;;) {
    try {
      for await (const progress of call()) {
        heardAtMs = Date.now();
        onProgress(progress);
        if (progress.phase === 'done') return progress;
      }
    } catch (error) {
      const isLost = heardAtMs !== undefined && Date.now() - heardAtMs < GIVE_UP_AFTER_MS;
      if (!isLost || !isTransient(error)) throw error;
      output.note('The connection was lost. Going on where it was …');
    }
    if (signal.aborted) {
      throw new Failure(
        'You broke it off. What was done stays done: the same command goes on there.',
      );
    }
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
}
