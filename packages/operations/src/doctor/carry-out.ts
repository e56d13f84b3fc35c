import { type Check, CheckError, type Finding, wordsOf } from './finding.js';

/** Longest time for a check, longer than any client of ours waits for a connection or an answer. */
const CHECK_MAX_MS = 20_000;

interface Outcome {
  readonly findings: readonly Finding[];
  /** Name of the check that threw: this one, or one that it needs. */
  readonly cause?: string;
}

/**
 * Carries checks out side by side, each after those that it needs and in twenty seconds at most. One cause is one
 * problem: the checks that need one that threw are left out, and named in one warning behind it.
 */
export async function carryOut(checks: readonly Check[]): Promise<readonly Finding[]> {
  const begun = new Map<string, Promise<Outcome>>();
  for (const check of checks) {
    const needed = (check.needs ?? []).flatMap((name) => begun.get(name) ?? []);
    begun.set(check.name, outcomeOf(check, needed));
  }
  const outcomes = await Promise.all(
    [...begun].map(async ([name, outcome]) => ({ name, ...(await outcome) })),
  );
  return outcomes.flatMap(({ name, findings }) => {
    const without = outcomes.filter((one) => one.cause === name && one.name !== name);
    return [...findings, ...leftOut(without, name)];
  });
}

async function outcomeOf(check: Check, needed: readonly Promise<Outcome>[]): Promise<Outcome> {
  const outcomes = await Promise.all(needed);
  const cause = outcomes.find((outcome) => outcome.cause !== undefined)?.cause;
  if (cause !== undefined) return { findings: [], cause };
  const { name, look, remedy } = check;
  try {
    const seen = await within(CHECK_MAX_MS, look());
    if (typeof seen !== 'string') {
      return { findings: seen.map((complaint) => ({ check: name, ...complaint })) };
    }
    return { findings: [{ check: name, state: 'ok', found: seen, remedy: '' }] };
  } catch (error) {
    const better = error instanceof CheckError ? error.remedy : remedy;
    const found = wordsOf(error);
    return { findings: [{ check: name, state: 'problem', found, remedy: better }], cause: name };
  }
}

function leftOut(checks: readonly { readonly name: string }[], cause: string): readonly Finding[] {
  if (checks.length === 0) return [];
  const names = checks.map(({ name }) => name).join(', ');
  const found = `${names}: nothing can be seen of that, because of the problem of "${cause}".`;
  return [
    { check: 'not looked at', state: 'warning', found, remedy: 'Mend that one, then ask again.' },
  ];
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer came in ${ms / 1_000} s.`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
