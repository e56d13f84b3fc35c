/** Something to be taken, and how large it is. */
interface Waiting<T, R> {
  readonly share: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

export interface JointOptions<T, R> {
  /** How many are taken at the same time. */
  readonly concurrency: number;
  readonly sizeMax: number;
  /** 1 for each when absent. */
  readonly sizeOf?: (share: T) => number;
  /** Only shares of the same kind are taken together; all of them when absent. */
  readonly kindOf?: (share: T) => string;
  /** Takes shares together; gives a result for each, in their order. */
  readonly take: (shares: readonly T[]) => Promise<readonly R[]>;
}

/**
 * Takes together what is offered in the same turn of the event loop, or while others are being taken, up to
 * a size. One that is larger by itself is taken alone.
 */
export function joint<T, R>(options: JointOptions<T, R>): (share: T) => Promise<R> {
  const { concurrency, take } = options;
  const waiting: Waiting<T, R>[] = [];
  let running = 0;
  let isCalled = false;

  const pump = (): void => {
    isCalled = false;
    while (running < concurrency && waiting.length > 0) {
      running++;
      void run(nextGroup(waiting, options)).finally(() => {
        running--;
        pump();
      });
    }
  };
  const run = async (group: readonly Waiting<T, R>[]): Promise<void> => {
    try {
      const results = await take(group.map(({ share }) => share));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as R);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  };

  return (share) =>
    new Promise((resolve, reject) => {
      waiting.push({ share, resolve, reject });
      if (!isCalled) setImmediate(pump);
      isCalled = true;
    });
}

/** Takes the first out of the list, and with it as many of its kind as fit. */
function nextGroup<T, R>(
  waiting: Waiting<T, R>[],
  { sizeMax, sizeOf = () => 1, kindOf = () => '' }: JointOptions<T, R>,
): readonly Waiting<T, R>[] {
  const group: Waiting<T, R>[] = [];
  let size = 0;
  for (const one of waiting) {
    const [first = one] = group;
    size += sizeOf(one.share);
    if (group.length > 0 && (size > sizeMax || kindOf(one.share) !== kindOf(first.share))) break;
    group.push(one);
  }
  waiting.splice(0, group.length);
  return group;
}
