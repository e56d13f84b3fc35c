import { retry } from '@junction/async';
import type { Express } from 'express';
import type { Closing } from './closing.js';
import type { Health } from './health.js';
import { closeHttp, drainHttp, type ListenOptions, listenHttp } from './listen.js';
import { logThrottle } from './log-throttle.js';
import type { Logger } from './logging/logger.js';
import { rootMessage } from './logging/server-away.js';
import { startupServer } from './startup-server.js';

/** Log, closing and health, which a running process gives its parts. */
export interface Runtime {
  readonly log: Logger;
  readonly closing: Closing;
  /** Health of the service, ready when every check that was added says so. */
  readonly health: Health;
  /**
   * Resolves with the result of `attempt` once it succeeds: this service cannot start without it. Until then the
   * service is not ready, `check` is listed as failing, and the log says why. Rejects when the service has to stop.
   */
  waitFor<T>(check: string, attempt: () => Promise<T>): Promise<T>;
  /** Opens the HTTP server, the last thing that opens, and registers how the server closes. */
  listen(app: Express): Promise<void>;
}

export interface RuntimeOptions {
  readonly log: Logger;
  readonly closing: Closing;
  readonly health: Health;
  readonly http: ListenOptions;
  /** The service is to stop. */
  readonly stopping: AbortSignal;
}

/**
 * A start that waits longer than this shows itself to probes. No sooner: a proxy without health checks
 * sends requests to every port that accepts them, and one slow connection is no reason to answer 503.
 */
const ANSWER_PROBES_AFTER_MS = 10_000;

export function startRuntime({ log, closing, health, http, stopping }: RuntimeOptions): Runtime {
  const probes = closing.add('startup server', startupServer(http, health), (one) => one.close());
  const answerProbes = () => {
    probes.open().catch((error: unknown) => log.warn({ err: error }, 'no answers to probes yet'));
  };

  return {
    log,
    closing,
    health,

    async waitFor(check, attempt) {
      let isThere = false;
      health.add(check, () => isThere);
      const throttled = logThrottle();
      const beganMs = performance.now();
      const onFailure = (error: unknown, attempts: number) => {
        if (performance.now() - beganMs > ANSWER_PROBES_AFTER_MS) answerProbes();
        const reason = rootMessage(error);
        throttled(reason, () =>
          log.warn({ check, attempts, reason }, 'waiting; nothing begins without it'),
        );
        log.debug({ check, err: error }, 'not there yet');
      };
      const found = await retry(
        async (attempts) => {
          const found = await attempt();
          if (attempts > 1) log.info({ check, attempts }, 'there now');
          return found;
        },
        { signal: stopping, onFailure },
      );
      isThere = true;
      return found;
    },

    async listen(app) {
      await probes.close();
      const server = await listenHttp(app, http);
      closing.add('http', server, closeHttp, { announce: drainHttp, atOnce: true });
    },
  };
}
