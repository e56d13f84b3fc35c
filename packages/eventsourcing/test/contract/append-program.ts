import { randomUUID } from 'node:crypto';
import { AppError } from '@junction/errors';
import fc from 'fast-check';
import {
  type Appended,
  type BatchedAppend,
  type BatchingEventStore,
  type ExpectedVersion,
  StreamMovedError,
} from '../../src/index.js';
import { type Counted, counted } from '../../src/testing.js';

const STREAMS = 3;
const COMMANDS = 3;

/** An append in small numbers: its streams, the version expected of each, and how many events each gets. */
interface AppendStep {
  readonly parts: readonly {
    readonly stream: number;
    /** Expectation. The last three become versions when the program is played. */
    readonly expected: 'any' | 'none' | 'exists' | 'current' | 'ahead' | 'behind';
    readonly count: number;
  }[];
  /** Number of the command, out of a few, so that some are repeated; undefined: a command that nobody can repeat. */
  readonly command: number | undefined;
}

/** Batches of appends, one after the other. A batch of one is an append. */
export type Program = readonly (readonly AppendStep[])[];

const part = fc.record({
  stream: fc.nat({ max: STREAMS - 1 }),
  expected: fc.constantFrom(
    'any',
    'any',
    'none',
    'exists',
    'current',
    'current',
    'ahead',
    'behind',
  ),
  count: fc.integer({ min: 1, max: 3 }),
});
const appendStep: fc.Arbitrary<AppendStep> = fc.record({
  parts: fc.array(part, { minLength: 1, maxLength: 3 }),
  command: fc.option(fc.nat({ max: COMMANDS - 1 }), { nil: undefined, freq: 2 }),
});

/** Generates appends as a fuzzer would: several streams, every expectation, repeats, batches. */
export const programs: fc.Arbitrary<Program> = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: appendStep.map((step) => [step]) },
    { weight: 1, arbitrary: fc.array(appendStep, { minLength: 2, maxLength: 4 }) },
  ),
  { minLength: 1, maxLength: 12 },
);

/** Outcome of an append, in the program's own numbers. */
export type Outcome =
  | {
      readonly kind: 'stored' | 'repeated';
      readonly versions: Readonly<Record<number, number>>;
      /** Stream, version and data of each event. */
      readonly events: readonly (readonly [stream: number, version: number, n: number])[];
    }
  | { readonly kind: 'moved'; readonly actual: Readonly<Record<number, number>> }
  | { readonly kind: 'reused' };

export interface Played {
  /** Outcome of each append, by batch, or the single outcome that refused the whole batch. */
  readonly outcomes: readonly (readonly Outcome[])[];
  /** Data of each stream at the end. */
  readonly histories: readonly (readonly number[])[];
  readonly streamIds: readonly string[];
}

/** Plays a program on streams of its own. */
export async function play(store: BatchingEventStore<Counted>, program: Program): Promise<Played> {
  const streamIds = Array.from({ length: STREAMS }, () => `counter-${randomUUID()}`);
  const commandIds = Array.from({ length: COMMANDS }, () => randomUUID());
  const outcomes: Outcome[][] = [];
  let n = 0;
  for (const steps of program) {
    const versions = await versionsOf(store, streamIds);
    const batch = steps.map((step): BatchedAppend<Counted> => {
      const { parts, command } = step;
      const commandId = command === undefined ? undefined : commandIds[command];
      const appends = parts.map(({ stream, expected, count }) => ({
        streamId: streamIds[stream] ?? '',
        expected: expectedOf(expected, versions[stream] ?? 0),
        events: Array.from({ length: count }, () => counted(n++)),
      }));
      return { appends, context: commandId === undefined ? {} : { commandId } };
    });
    outcomes.push(await outcomesOf(store, batch, streamIds));
  }
  const loaded = await store.loadMany(streamIds);
  const histories = streamIds.map((streamId) =>
    (loaded.get(streamId)?.history ?? []).map(({ data }) => data.n),
  );
  return { outcomes, histories, streamIds };
}

async function versionsOf(store: BatchingEventStore<Counted>, streamIds: readonly string[]) {
  const versions: number[] = [];
  for (const streamId of streamIds) versions.push((await store.load(streamId)).version);
  return versions;
}

/**
 * Returns a version that the stream had before. There is none below 2, since 0 is `none`: then the version is a future
 * one.
 */
export const behind = (version: number): number => (version > 1 ? version - 1 : version + 1);

function expectedOf(
  expected: AppendStep['parts'][number]['expected'],
  version: number,
): ExpectedVersion {
  if (expected === 'current') return version === 0 ? 'none' : version;
  if (expected === 'ahead') return version + 1;
  if (expected === 'behind') return behind(version);
  return expected;
}

async function outcomesOf(
  store: BatchingEventStore<Counted>,
  batch: readonly BatchedAppend<Counted>[],
  streamIds: readonly string[],
): Promise<Outcome[]> {
  const [only] = batch;
  try {
    const results =
      only && batch.length === 1
        ? [await store.append(only.appends, only.context)]
        : await store.appendMany(batch);
    return results.map((appended) => storedOutcome(appended, streamIds));
  } catch (error) {
    if (error instanceof StreamMovedError) {
      const actual = Object.entries(error.actual).map(([id, at]) => [streamIds.indexOf(id), at]);
      return [{ kind: 'moved', actual: Object.fromEntries(actual) as Record<number, number> }];
    }
    if (error instanceof AppError && error.code === 'command_id_reused')
      return [{ kind: 'reused' }];
    throw error;
  }
}

const storedOutcome = (
  { streams, events, repeated }: Appended<Counted>,
  streamIds: readonly string[],
): Outcome => ({
  kind: repeated ? 'repeated' : 'stored',
  versions: Object.fromEntries(
    streams.map(({ streamId, version }) => [streamIds.indexOf(streamId), version]),
  ),
  events: events.map(({ streamId, version, event }) => [
    streamIds.indexOf(streamId),
    version,
    event.data.n,
  ]),
});
