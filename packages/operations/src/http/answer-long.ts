import type { Request, Response } from 'express';
import { actorOf, isTool } from './actor.js';
import type { Context } from './context.js';
import { answerWithProgress, type LongChange, runLong } from './long-change.js';

const EVENTS = 'text/event-stream';

/** Sentence for the routes that answer so. */
export const AS_EVENTS =
  'A service account that accepts `text/event-stream` follows it instead: a message `progress` for each step, to the last, whose `phase` is `done`. Hanging up stops it then, and a failure comes as a `problem`.';

/**
 * Makes a change that takes long. It goes on when its caller is gone, and the answer comes as soon as it has begun; a
 * service account may follow it to its end instead.
 */
export async function answerLong<Progress>(
  req: Pick<Request, 'accepts'>,
  res: Response,
  context: Context,
  change: LongChange<Progress>,
  view: (progress: Progress) => object,
): Promise<void> {
  if (isTool(res) && req.accepts(['application/json', EVENTS]) === EVENTS) {
    await answerWithProgress(res, context.journal, change, view);
  } else await begun(res, context, change);
}

/** Resolves as soon as the work has taken its first step, and rejects when it never does; it goes on in any case. */
const begun = async <Progress>(
  res: Response,
  { journal, log, stopping: signal }: Context,
  change: LongChange<Progress>,
): Promise<void> =>
  new Promise((resolve, reject) => {
    let hasBegun = false;
    const onProgress = () => {
      hasBegun = true;
      resolve();
    };
    runLong(actorOf(res), journal, change, { signal, onProgress }).then(resolve, (err: Error) => {
      if (hasBegun && !signal.aborted) {
        log.warn({ err, method: change.method }, 'an operation has failed');
      }
      reject(err);
    });
  });
