import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { InboundRecord } from '../kafka/kafka-port.js';

/** How a handler takes a record until it is mended. `away`: the surroundings fail, once. */
export type Behaviour = 'good' | 'bad' | 'broken' | 'away';

/** A consumer of one partition of an ordered topic, and what it has done. */
export interface Inbox {
  /** Takes records that begin at `from`. Gives how many; 0 when nothing of it happened. */
  deliver(records: readonly InboundRecord[], from: bigint): Promise<number>;
  /** Handlers take everything from now on, and every parked key is redriven until nothing moves. */
  mendAndRedrive(): Promise<void>;
  /** Values that took effect, in their order. */
  effects(): Promise<readonly string[]>;
  /** Offsets of open dead letters, with their reasons. */
  letters(): Promise<readonly string[]>;
  parked(): Promise<readonly string[]>;
}

/** Opens one that has taken nothing. Its handler takes a record with this value in this way. */
export type OpenInbox = (behaviourOf: (value: string) => Behaviour) => Promise<Inbox>;

/**
 * A test with jest and fast-check: what any inbox must do with any log, and what `twin`, as a rule
 * `memoryInbox`, does with the same one. `numRuns`: so many logs.
 */
export function inboxTck(name: string, open: OpenInbox, twin: OpenInbox, numRuns: number): void {
  it(`${name}: each record of a key has one effect, in order, whatever happens on the way`, async () => {
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        const { log, behaviours, sizes, repeats } = program;
        const behaviourOf = (value: string) => behaviours[Number(value.split('#')[1])] ?? 'good';
        const inbox = await open(behaviourOf);
        const model = await twin(behaviourOf);
        for (const one of [inbox, model]) await deliverAll(one, log, sizes, repeats);

        expect(await inbox.effects()).toEqual(await model.effects());
        expect(await inbox.letters()).toEqual(await model.letters());
        expect(await inbox.parked()).toEqual(await model.parked());

        for (const one of [inbox, model]) {
          await one.mendAndRedrive();
          expect(await one.parked()).toEqual([]);
          expect(await one.letters()).toEqual([]);
          expect(byKey(await one.effects())).toEqual(wantedOf(log));
        }
      }),
      { numRuns },
    );
  });
}

interface Program {
  readonly log: readonly InboundRecord[];
  readonly behaviours: readonly Behaviour[];
  readonly sizes: readonly number[];
  readonly repeats: readonly boolean[];
}

const behaviour = fc.constantFrom<Behaviour[]>('good', 'good', 'good', 'bad', 'broken', 'away');

/**
 * Keys a to c count their records, key d knows them by id. All of 1 to n arrive, some of them again,
 * and in any order: as no relay would send them, and as a gate must survive.
 */
const programs: fc.Arbitrary<Program> = fc
  .record({
    counts: fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 4, maxLength: 4 }),
    isShuffled: fc.boolean(),
    again: fc.array(fc.nat(), { maxLength: 6 }),
    places: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
    behaviours: fc.array(behaviour, { minLength: 40, maxLength: 40 }),
    sizes: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 10 }),
    repeats: fc.array(fc.boolean(), { minLength: 1, maxLength: 10 }),
  })
  .map(({ counts, isShuffled, again, places, behaviours, sizes, repeats }) => {
    const once = counts.flatMap((count, key) =>
      Array.from({ length: count }, (_, n) => ({ key: 'abcd'[key] ?? 'd', n: n + 1 })),
    );
    const all = [...once, ...again.flatMap((n) => once[n % Math.max(1, once.length)] ?? [])];
    const places_ = all.map((_, index) => (isShuffled ? (places[index] ?? 0) : index));
    const ordered = all
      .map((each, index) => ({ each, place: places_[index] ?? 0 }))
      .toSorted((a, b) => a.place - b.place);
    const log = ordered.map(({ each }, offset) => recordAt(each.key, each.n, offset));
    return { log, behaviours, sizes, repeats };
  });

const recordAt = (key: string, n: number, offset: number): InboundRecord => ({
  topic: 'counters',
  partition: 0,
  offset: BigInt(offset),
  key,
  headers: key === 'd' ? { ce_source: 's', ce_id: `${n}` } : { ce_sequence: `${n}` },
  value: Buffer.from(`${key}${n}#${offset}`),
  timestamp: new Date(0),
});

/** In batches, of which some come a second time, as after a rebalance. */
async function deliverAll(
  inbox: Inbox,
  log: readonly InboundRecord[],
  sizes: readonly number[],
  repeats: readonly boolean[],
): Promise<void> {
  for (let at = 0, round = 0; at < log.length; round++) {
    const batch = log.slice(at, at + (sizes[round % sizes.length] ?? 1));
    const taken = await inbox.deliver(batch, BigInt(at));
    if (taken > 0 && repeats[round % repeats.length]) {
      expect(await inbox.deliver(batch, BigInt(at))).toBe(0);
    }
    at += taken;
    if (round > 1_000) throw new Error('The inbox makes no progress.');
  }
}

/** Key to the numbers that took effect. */
function byKey(values: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const keys: Record<string, string[]> = {};
  for (const value of values) {
    const [name = ''] = value.split('#');
    (keys[name.slice(0, 1)] ??= []).push(name.slice(1));
  }
  // Those known by id have an order of arrival only.
  keys['d']?.sort();
  return keys;
}

function wantedOf(log: readonly InboundRecord[]): Readonly<Record<string, readonly string[]>> {
  const keys: Record<string, string[]> = {};
  for (const { value } of log) {
    const [name = ''] = (value?.toString() ?? '').split('#');
    const numbers = (keys[name.slice(0, 1)] ??= []);
    if (!numbers.includes(name.slice(1))) numbers.push(name.slice(1));
  }
  for (const numbers of Object.values(keys)) numbers.sort();
  return keys;
}
