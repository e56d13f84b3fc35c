import type { Closing } from './closing.js';
import type { Health } from './health.js';
import type { Logger } from './logging/logger.js';

/**
 * Milliseconds that closing may take when a service names no others: consumers, relay and producer one after the other,
 * with a Kafka that hangs.
 */
const CLOSE_MAX_MS = 15_000;
/** Ctrl-C reaches a process twice, from the terminal and from npm: that is one request to stop. */
const SAME_REQUEST_MS = 500;

/** The process, as far as the stopper needs it; `process` itself in a service's main. */
export interface Host {
  readonly env: NodeJS.ProcessEnv;
  readonly argv: readonly string[];
  on(event: string, listener: (reason: unknown) => void): unknown;
  exit(code: number): unknown;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

export interface StopperOptions {
  readonly log: Logger;
  readonly closing: Closing;
  readonly health: Health;
  /**
   * Returns the delay in milliseconds. Called when the stop begins: a service that has not opened yet needs no delay.
   */
  readonly delayMs: () => number;
  /** Milliseconds that closing may take after the delay. Absent: fifteen seconds. */
  readonly closeMaxMs?: number | undefined;
  readonly host: Host;
}

export interface Stopper {
  /** Aborted at the first moment of a stop. */
  readonly stopping: AbortSignal;
  /** Stops the process, once however often this is called. Resolves when the process has been made to exit. */
  stop(exitCode: number): Promise<void>;
}

/**
 * Ends the process in order on SIGTERM and SIGINT: not ready at once; the servers stay open for the delay, so that
 * balancers notice; then everything is closed. A second request, and the deadline (the delay and `closeMaxMs`), end the
 * process at once with 1, and the log names what was still open.
 */
export function stopper(options: StopperOptions): Stopper {
  const { log, closing, health, delayMs, closeMaxMs = CLOSE_MAX_MS, host } = options;
  const stopping = new AbortController();
  let askedMs = Number.NEGATIVE_INFINITY;

  const giveUp = (why: string, fields: object) => {
    log.error({ ...fields, component: closing.pending() }, why);
    host.exit(1);
  };
  const stop = async (exitCode: number) => {
    if (stopping.signal.aborted) return;
    const deadlineMs = delayMs() + closeMaxMs;
    stopping.abort();
    health.drain();
    closing.announce();
    const giveUpLate = () => giveUp('not closed in time', { deadline_ms: deadlineMs });
    const overdue = setTimeout(giveUpLate, deadlineMs).unref();
    await new Promise((resolve) => setTimeout(resolve, delayMs()));
    await closing.closeAll();
    clearTimeout(overdue);
    log.info({ exit_code: exitCode }, 'stopped');
    host.exit(exitCode);
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    host.on(signal, () => {
      const sinceMs = performance.now() - askedMs;
      if (!stopping.signal.aborted) {
        askedMs = performance.now();
        log.info({ signal, delay_ms: delayMs() }, 'stopping');
        void stop(0);
      } else if (sinceMs > SAME_REQUEST_MS)
        giveUp('told to stop again: ending at once', { signal });
    });
  }
  return { stopping: stopping.signal, stop };
}
