import { type SemaphoreOptions, semaphore } from './semaphore.js';

interface Line {
  readonly through: ReturnType<typeof semaphore>;
  /** Number of calls that run or wait. */
  length: number;
}

/**
 * Runs work of one key in the order of the calls, one call after the other; work of other keys does not wait for it.
 * The bounds apply to each key. Never call it from within work of the same key: the call would wait for itself.
 */
export function turns(options: Omit<SemaphoreOptions, 'atOnceMax'>) {
  const lines = new Map<string, Line>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const line = lines.get(key) ?? { through: semaphore({ ...options, atOnceMax: 1 }), length: 0 };
    lines.set(key, line);
    line.length++;
    try {
      return await line.through(work);
    } finally {
      line.length--;
      if (line.length === 0) lines.delete(key);
    }
  };
}
