interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatcherOptions<T, R> {
  /** Batches at the same time. */
  readonly concurrency: number;
  /** Upper bound of the size of a batch, in the unit of `sizeOf`. */
  readonly sizeMax: number;
  /** Milliseconds after a batch in which none follows in its place, so that more come together. Absent: 0. */
  readonly restMs?: number;
  /** Size of an item. Absent: 1. */
  readonly sizeOf?: (item: T) => number;
  /** Kind of an item: a batch holds items of one kind. Absent: all items are of the same kind. */
  readonly kindOf?: (item: T) => string;
  /** Returns a result for each item, in the order of the items. */
  readonly process: (items: readonly T[]) => Promise<readonly R[]>;
}

/**
 * Processes items together that are offered in the same turn of the event loop, or while other batches are under way,
 * in the order of the offers. An item larger than `sizeMax` makes a batch of its own; an error of a batch rejects each
 * of its items.
 */
export function batcher<T, R>(options: BatcherOptions<T, R>): (item: T) => Promise<R> {
  const { concurrency, restMs = 0, process } = options;
  const waiting: Waiting<T, R>[] = [];
  let running = 0;
  let isScheduled = false;

  const pump = (): void => {
    isScheduled = false;
    while (running < concurrency && waiting.length > 0) {
      running++;
      void run(takeBatch(waiting, options)).finally(() => {
        if (restMs === 0) next();
        else setTimeout(next, restMs);
      });
    }
  };
  const next = (): void => {
    running--;
    pump();
  };
  const run = async (batch: readonly Waiting<T, R>[]): Promise<void> => {
    try {
      const results = await process(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isScheduled) setImmediate(pump);
      isScheduled = true;
    });
}

/** Removes the first item from the list and, with it, as many following items as fit and are of the same kind. */
function takeBatch<T, R>(
  waiting: Waiting<T, R>[],
  { sizeMax, sizeOf = () => 1, kindOf = () => '' }: BatcherOptions<T, R>,
): readonly Waiting<T, R>[] {
  const batch: Waiting<T, R>[] = [];
  let size = 0;
  for (const one of waiting) {
    const [first = one] = batch;
    size += sizeOf(one.item);
    if (batch.length > 0 && (size > sizeMax || kindOf(one.item) !== kindOf(first.item))) break;
    batch.push(one);
  }
  waiting.splice(0, batch.length);
  return batch;
}
