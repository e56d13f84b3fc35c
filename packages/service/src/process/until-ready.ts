import { backoffMs, pause } from '@junction/async';
import type { Health } from './health.js';
import { logThrottle } from './log-throttle.js';
import type { Logger } from './logging/logger.js';

/** Resolves when all checks have passed at one time, or at the stop. Meanwhile logs which checks have not passed. */
export async function untilReady(health: Health, log: Logger, stopping: AbortSignal) {
  const throttled = logThrottle();
  for (let attempts = 1; !stopping.aborted; attempts++) {
    const { ready, failing } = await health.ready();
    if (ready) {
      log.info('ready');
      return;
    }
    // The first looks always come too early for checks that have only just started.
    if (attempts > 3 && !stopping.aborted) {
      throttled(failing.join(), () => log.warn({ failing }, 'waiting; not ready yet'));
    }
    await pause(backoffMs(attempts), stopping);
  }
}
