import type { Result } from './job.js';

export interface ResultBuffer {
  push(result: Result): void;
  /** False: so many results wait to be written that nothing should be sent. */
  hasRoom(): boolean;
}

export interface ResultBufferOptions {
  /** Writes all or throws. May be called again with the same results. */
  readonly write: (results: readonly Result[]) => Promise<void>;
  readonly written: (results: readonly Result[]) => void;
  readonly batchMax: number;
  /** Milliseconds of a clock that never jumps. */
  readonly monotonicMs: () => number;
  readonly onError: (error: unknown) => void;
}

const FLUSH_AFTER_MS = 5;
/**
 * Under load a statement takes longer, most of it whatever it writes. Then results wait twice as long as
 * the last one took: fewer statements with more in each, and two thirds of the time for something else.
 */
const FLUSH_AFTER_TIMES = 2;
const FLUSH_AFTER_MAX_MS = 10;
const RESULTS_MAX = 5_000;
const RETRY_FIRST_MS = 100;
const RETRY_MAX_MS = 2_000;

/** Collects results and writes them together: one statement for many deliveries. */
export function resultBuffer(options: ResultBufferOptions): ResultBuffer {
  const { write, written, batchMax, monotonicMs, onError } = options;
  let waiting: Result[] = [];
  let writing = false;
  let failures = 0;
  let tookMs = 0;
  let timer: NodeJS.Timeout | undefined;

  const flush = async () => {
    timer = undefined;
    writing = true;
    const batch = waiting.slice(0, batchMax);
    const startedMs = monotonicMs();
    try {
      await write(batch);
      tookMs = monotonicMs() - startedMs;
      waiting = waiting.slice(batch.length);
      failures = 0;
      written(batch);
    } catch (error) {
      failures++;
      onError(error);
    } finally {
      writing = false;
      schedule();
    }
  };

  const schedule = () => {
    if (timer !== undefined || writing || waiting.length === 0) return;
    const isFull = waiting.length >= batchMax;
    timer = setTimeout(() => void flush(), delayMs(failures, isFull, tookMs));
  };

  return {
    push(result) {
      waiting.push(result);
      schedule();
    },
    hasRoom: () => waiting.length < RESULTS_MAX,
  };
}

function delayMs(failures: number, isFull: boolean, tookMs: number): number {
  if (failures > 0) return Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** (failures - 1));
  if (isFull) return 0;
  return Math.min(FLUSH_AFTER_MAX_MS, Math.max(FLUSH_AFTER_MS, tookMs * FLUSH_AFTER_TIMES));
}
