import { backoffMs, pause } from '@junction/async';
import type { Health } from './health.js';
import { logThrottle } from './log-throttle.js';
import type { Logger } from './logging/logger.js';

/** Resolves when every check has passed at one time, and says meanwhile which have not; or at the stop. */
export async function untilReady(health: Health, log: Logger, stopping: AbortSignal) {
  const throttled = logThrottle();
  for (let attempts = 1; !stopping.aborted; attempts++) {
    const { ready, failing } = await health.ready();
    if (ready) {
      log.info('ready');
      return;
    }
    // The first look is always too early for whoever has only just been asked.
    if (attempts > 3 && !stopping.aborted) {
      throttled(failing.join(), () => log.warn({ failing }, 'waiting; not ready yet'));
    }
    await pause(backoffMs(attempts), stopping);
  }
}
