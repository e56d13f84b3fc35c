import { expect, it } from '@jest/globals';
import fc from 'fast-check';

/**
 * What becomes of the next batch. `refused`: Kafka has nothing of it. `unheard`: it has all, and the
 * answer is lost. `frozen`: it has all, and the process is paused until another has taken over.
 */
export type Trouble = 'refused' | 'unheard' | 'frozen';

export interface Published {
  readonly key: string;
  readonly value: string;
}

/** An outbox with its relay, and the log it is published to. */
export interface Outbox {
  /** Commits the next records of these keys, in one transaction, and wakes the relay. */
  insert(rows: readonly Published[]): Promise<void>;
  /** The same, but the transaction is rolled back. */
  insertInVain(rows: readonly Published[]): Promise<void>;
  meet(trouble: Trouble): Promise<void>;
  /** A graceful stop, and another relay. */
  restart(): Promise<void>;
  /** When the outbox is empty: everything that was ever published, in the order of the log. */
  drained(): Promise<readonly Published[]>;
  close(): Promise<void>;
}

type Step =
  | { readonly do: 'insert' | 'insertInVain'; readonly keys: readonly string[] }
  | { readonly do: 'meet'; readonly trouble: Trouble }
  | { readonly do: 'restart' };

export type OpenOutbox = () => Promise<Outbox>;

/**
 * A test with jest and fast-check: what any outbox must do with any program of commits and troubles, and
 * what `twin`, as a rule `memoryOutbox`, does with the same one. `numRuns`: so many programs.
 */
export function outboxTck(name: string, open: OpenOutbox, twin: OpenOutbox, numRuns: number): void {
  it(`${name}: every committed record is published, those of a key in order, no other one is`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const expected = await keptOf(twin, steps);
        expect(await keptOf(open, steps)).toEqual(expected);
        expect(expected).toEqual(committedBy(steps));
      }),
      { numRuns },
    );
  });
}

const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 8 });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('insert' as const), keys }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('insertInVain' as const), keys }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('meet' as const),
      trouble: fc.constantFrom<Trouble[]>('refused', 'unheard', 'frozen'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' } as const) },
);

/** What a consumer keeps of what an outbox publishes in the course of these steps. */
async function keptOf(open: OpenOutbox, steps: readonly Step[]) {
  const outbox = await open();
  try {
    const counted = counter();
    for (const step of steps) {
      if (step.do === 'insert') await outbox.insert(step.keys.map(counted));
      if (step.do === 'insertInVain') {
        await outbox.insertInVain(step.keys.map((key) => ({ key, value: 'in vain' })));
      }
      if (step.do === 'meet') await outbox.meet(step.trouble);
      if (step.do === 'restart') await outbox.restart();
    }
    return firstsOf(await outbox.drained());
  } finally {
    await outbox.close();
  }
}

/** The same as the rules have it: what was committed, in order. */
function committedBy(steps: readonly Step[]) {
  const counted = counter();
  return firstsOf(steps.flatMap((step) => (step.do === 'insert' ? step.keys.map(counted) : [])));
}

/** The next record of a key: 1, 2, 3 … */
function counter(): (key: string) => Published {
  const last = new Map<string, number>();
  return (key) => {
    const n = (last.get(key) ?? 0) + 1;
    last.set(key, n);
    return { key, value: `${n}` };
  };
}

/** Key to its values, each where it came first: what a consumer keeps that drops repetitions. */
function firstsOf(published: readonly Published[]): Readonly<Record<string, readonly string[]>> {
  const firsts: Record<string, string[]> = {};
  for (const { key, value } of published) {
    const values = (firsts[key] ??= []);
    if (!values.includes(value)) values.push(value);
  }
  return firsts;
}
