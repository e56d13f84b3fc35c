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

/** What any outbox must do with any program of commits and troubles. */
export function outboxTck(name: string, open: () => Promise<Outbox>, numRuns: number): void {
  it(`${name}: every committed record is published, those of a key in order, no other one is`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const outbox = await open();
        const wanted = new Map<string, string[]>();
        try {
          for (const each of steps) await run(outbox, each, wanted);
          const published = await outbox.drained();
          expect(firstsOf(published)).toEqual(Object.fromEntries(wanted));
        } finally {
          await outbox.close();
        }
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

async function run(outbox: Outbox, step: Step, wanted: Map<string, string[]>): Promise<void> {
  switch (step.do) {
    case 'insert': {
      const rows = step.keys.map((key): Published => {
        const values = wanted.get(key) ?? [];
        const value = `${values.length + 1}`;
        wanted.set(key, [...values, value]);
        return { key, value };
      });
      return outbox.insert(rows);
    }
    case 'insertInVain':
      return outbox.insertInVain(step.keys.map((key) => ({ key, value: 'in vain' })));
    case 'meet':
      return outbox.meet(step.trouble);
    case 'restart':
      return outbox.restart();
  }
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
