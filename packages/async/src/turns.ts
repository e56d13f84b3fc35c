import { type SemaphoreOptions, semaphore } from './semaphore.js';

interface Line {
  readonly through: ReturnType<typeof semaphore>;
  /** Number of calls that run or wait. */
  length: number;
}

export interface TurnsOptions extends Omit<SemaphoreOptions, 'atOnceMax'> {
  /** Calls of one key at a time. Absent: one. */
  readonly atOnceMax?: number;
}

/**
 * Runs work of one key in the order of the calls, as a rule one call after the other; work of other keys does not wait
 * for it. The bounds apply to each key. Never call it from within work of the same key: the call would wait for itself.
 *
 * Calls that stand in line for something in common take it in fair turns when they pass such a line of their own key
 * first: the common line then holds no more than `atOnceMax` calls of each key.
 */
export function turns({ atOnceMax = 1, ...bounds }: TurnsOptions) {
  const lines = new Map<string, Line>();
  return async <T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    const line = lines.get(key) ?? { through: semaphore({ ...bounds, atOnceMax }), length: 0 };
    lines.set(key, line);
    line.length++;
    try {
      return await line.through(work, signal);
    } finally {
      line.length--;
      if (line.length === 0) lines.delete(key);
    }
  };
}
