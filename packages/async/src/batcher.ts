interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

export interface BatcherOptions<T, R> {
  /** Batches at the same time. */
  readonly concurrency: number;
  /** Of a batch, in the unit of `sizeOf`. */
  readonly sizeMax: number;
  /** 1 for each item when absent. */
  readonly sizeOf?: (item: T) => number;
  /** Only items of the same kind share a batch; all of them when absent. */
  readonly kindOf?: (item: T) => string;
  /** Gives a result for each item, in their order. */
  readonly process: (items: readonly T[]) => Promise<readonly R[]>;
}

/**
 * Processes together what is offered in the same turn of the event loop, or while other batches are
 * under way, in the order of the offers. An item larger than `sizeMax` makes a batch of its own; an
 * error of a batch rejects each of its items.
 */
export function batcher<T, R>(options: BatcherOptions<T, R>): (item: T) => Promise<R> {
  const { concurrency, process } = options;
  const waiting: Waiting<T, R>[] = [];
  let running = 0;
  let isScheduled = false;

  const pump = (): void => {
    isScheduled = false;
    while (running < concurrency && waiting.length > 0) {
      running++;
      void run(takeBatch(waiting, options)).finally(() => {
        running--;
        pump();
      });
    }
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

/** Takes the first out of the list, and with it as many of its kind as fit. */
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
