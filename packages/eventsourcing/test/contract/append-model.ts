import { behind, type Outcome, type Played, type Program } from './append-program.js';

type Part = Program[number][number]['parts'][number];
type Numbered = Part & { readonly events: readonly number[] };
interface Append {
  readonly parts: readonly Numbered[];
  readonly command: number | undefined;
}
type Stored = Extract<Outcome, { kind: 'stored' | 'repeated' }>['events'];

/** Predicts the outcome of a program by the rules of the port alone: lists and maps, and no store. */
export function predict(program: Program, streams: number): Omit<Played, 'streamIds'> {
  let histories: readonly (readonly number[])[] = Array.from({ length: streams }, () => []);
  const known = new Map<number, Stored>();
  let n = 0;

  const outcomes = program.map((steps): readonly Outcome[] => {
    const given = histories;
    const batch = steps.map(
      ({ parts, command }): Append => ({
        command,
        parts: parts.map((one) => ({
          ...one,
          events: Array.from({ length: one.count }, () => n++),
        })),
      }),
    );
    const repeats = new Set(batch.filter((append) => isRepeat(append, batch, known)));
    const fresh = batch.filter((append) => !repeats.has(append));
    const { actual, stored, after } = appendAll(fresh, given);
    if (Object.keys(actual).length > 0) return [{ kind: 'moved', actual }];

    const answers = batch.map((append): Outcome => {
      const own = stored.get(append);
      if (own) return outcome('stored', own);
      const first = batch.find(({ command }) => command === append.command);
      const earlier = known.get(append.command ?? -1) ?? (first && stored.get(first)) ?? [];
      const named = earlier.filter(([stream]) => append.parts.some((one) => one.stream === stream));
      return named.length > 0 ? outcome('repeated', named) : { kind: 'reused' };
    });
    if (answers.some(({ kind }) => kind === 'reused')) return [{ kind: 'reused' }];

    histories = after;
    for (const [{ command }, events] of stored)
      if (command !== undefined) known.set(command, events);
    return answers;
  });
  return { outcomes, histories };
}

function isRepeat(append: Append, batch: readonly Append[], known: ReadonlyMap<number, Stored>) {
  const { command } = append;
  if (command === undefined) return false;
  return known.has(command) || batch.find((other) => other.command === command) !== append;
}

/** Returns the histories with the appends on top, and the actual versions where an append expected another. */
function appendAll(batch: readonly Append[], given: readonly (readonly number[])[]) {
  const after = given.map((history) => [...history]);
  const actual: Record<number, number> = {};
  const stored = new Map<Append, Stored>();
  for (const append of batch) {
    stored.set(
      append,
      append.parts.flatMap(({ stream, expected, events }) => {
        const history = after[stream] ?? [];
        const version = history.length;
        if (!holds(expected, version, given[stream]?.length ?? 0)) actual[stream] = version;
        return events.map((event): Stored[number] => [stream, history.push(event), event]);
      }),
    );
  }
  return { actual, stored, after };
}

/**
 * Returns whether an expectation holds. `current`, `ahead` and `behind` refer to the version before the whole batch.
 */
function holds(expected: Part['expected'], version: number, before: number): boolean {
  if (expected === 'any') return true;
  if (expected === 'none') return version === 0;
  if (expected === 'exists') return version > 0;
  if (expected === 'behind') return version === behind(before);
  return version === (expected === 'current' ? before : before + 1);
}

const outcome = (kind: 'stored' | 'repeated', events: Stored): Outcome => ({
  kind,
  versions: Object.fromEntries(events.map(([stream, version]) => [stream, version])),
  events,
});
