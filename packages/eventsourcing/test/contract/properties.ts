import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type BatchingEventStore,
  type RecordedEvent,
  type StreamAppend,
  StreamMovedError,
} from '../../src/index.js';
import { type Counted, counted } from '../../src/testing.js';
import { newCounter } from '../counters.js';
import { predict } from './append-model.js';
import { play, programs } from './append-program.js';

type Open = () => BatchingEventStore<Counted>;

/** Declares the properties that must hold for any appends. fast-check prints the seed of a failure. */
export function properties(open: Open, numRuns: number): void {
  describe('any appends', () => {
    it('have the outcome that the rules predict, and so have their streams', async () => {
      const holds = fc.asyncProperty(programs, async (program) => {
        const { streamIds, ...played } = await play(open(), program);
        expect(played).toEqual(predict(program, streamIds.length));
      });
      await fc.assert(holds, { numRuns });
    });

    it('store in a race exactly what they report as stored, once and in one piece', async () => {
      const holds = fc.asyncProperty(races, async (race) => {
        const { told, stored } = await runRace(open(), race);
        expect(stored).toEqual(told);
      });
      await fc.assert(holds, { numRuns });
    });
  });
}

async function runRace(store: ReturnType<Open>, race: Race) {
  const streamIds = [newCounter(), newCounter()];
  const appends = race.map((parts, writer) => writtenBy(writer, parts, streamIds));
  const outcomes = await Promise.allSettled(appends.map(async (append) => store.append(append)));

  const told: string[] = [];
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') told.push(...outcome.value.events.map(named));
    else expect(outcome.reason).toBeInstanceOf(StreamMovedError);
  }
  const stored: string[] = [];
  for (const streamId of streamIds) {
    const { history } = await store.load(streamId);
    stored.push(...history.map((event, at) => named({ streamId, version: at + 1, event })));
  }
  return { told: told.toSorted(), stored: stored.toSorted() };
}

type Race = readonly (readonly RacePart[])[];

interface RacePart {
  readonly stream: number;
  readonly expected: 'any' | 'none' | 'exists' | 1 | 2;
}

/** Generates for each writer the streams it appends to. */
const races = fc.array(
  fc.array(
    fc.record({
      stream: fc.nat({ max: 1 }),
      expected: fc.constantFrom<RacePart['expected'][]>('any', 'none', 'exists', 1, 2),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  { minLength: 2, maxLength: 8 },
);

/** Returns the appends of a writer, whose events tell who wrote them. */
const writtenBy = (
  writer: number,
  parts: readonly RacePart[],
  streamIds: readonly string[],
): StreamAppend<Counted>[] =>
  parts.map(({ stream, expected }, part) => ({
    streamId: streamIds[stream] ?? '',
    expected,
    events: [0, 1].map((n) => counted(writer * 10 + part * 2 + n)),
  }));

const named = (at: Pick<RecordedEvent<Counted>, 'streamId' | 'version' | 'event'>): string =>
  `${at.streamId} ${at.version} ${at.event.data.n}`;
