import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '@junction/async';
import type { Express } from 'express';
import type { Health } from '../health.js';
import { closeHttp, drainHttp, type ListenOptions, listenHttp } from '../http/listen.js';
import { waitingRoom } from '../http/waiting-room.js';
import type { Logger } from '../logging/logger.js';
import type { Closing } from './closing.js';
import { reminder } from './reminder.js';

/** What a service is given to open itself with. */
export interface Life {
  readonly log: Logger;
  readonly closing: Closing;
  /** Ready when every check that was added says so. */
  readonly health: Health;
  /**
   * Resolves with what `attempt` gives once it succeeds: this service cannot begin without it. Until then
   * it is not ready, says so under `check`, and the log says why. Rejects when the service is told to stop.
   */
  waitFor<T>(check: string, attempt: () => Promise<T>): Promise<T>;
  /** Opens the HTTP door, the last one, and arranges how it closes. */
  listen(app: Express): Promise<void>;
}

export interface LifeOptions {
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
const OPEN_ROOM_AFTER_MS = 10_000;

export function beginLife({ log, closing, health, http, stopping }: LifeOptions): Life {
  const room = closing.add('waiting room', waitingRoom(http, health), (room) => room.close());
  const openRoom = () => {
    room.open().catch((error: unknown) => log.warn({ err: error }, 'no answers to probes yet'));
  };

  return {
    log,
    closing,
    health,

    async waitFor(check, attempt) {
      let there = false;
      health.add(check, () => there);
      const remind = reminder();
      const beganMs = performance.now();
      for (let attempts = 1; ; attempts++) {
        try {
          const found = await attempt();
          there = true;
          if (attempts > 1) log.info({ check, attempts }, 'there now');
          return found;
        } catch (error) {
          stopping.throwIfAborted();
          if (performance.now() - beganMs > OPEN_ROOM_AFTER_MS) openRoom();
          remind(String(error), () =>
            log.warn({ check, attempts, err: error }, 'waiting; nothing begins without it'),
          );
          await sleep(backoffMs(attempts), undefined, { signal: stopping });
        }
      }
    },

    async listen(app) {
      await room.close();
      const server = await listenHttp(app, http);
      closing.add('http', server, closeHttp, { announce: drainHttp, atOnce: true });
    },
  };
}
