import { type SemaphoreOptions, semaphore } from './semaphore.js';

interface Line {
  readonly through: ReturnType<typeof semaphore>;
  /** Works that are under way or wait. */
  length: number;
}

/**
 * Runs the works of one key one after the other, in the order of the calls; those of other keys do not wait for them.
 * The bounds are of each key. Not from within a work of the same key: it would wait for itself.
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
