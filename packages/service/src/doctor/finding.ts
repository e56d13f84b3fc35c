/** Finding of a check: what the check looked at, what it found, and how to mend that. */
export interface Finding {
  /** Name of the check in a few words: `database`, `topics`, … */
  readonly check: string;
  /** Severity. `warning`: the service works now, but may not for long. */
  readonly state: 'ok' | 'warning' | 'problem';
  /** A sentence. No secret, and no address of a person. */
  readonly found: string;
  /** A sentence; empty when all is well. */
  readonly remedy: string;
}

/** Check of one thing. A check that throws has found a problem. */
export interface Check {
  readonly name: string;
  /** Skips the check while the database cannot be reached. */
  readonly needsDatabase?: boolean;
  /** Remedy for the problem that is reported when the check throws. */
  readonly remedy: string;
  /** Runs the check. */
  readonly look: () => Promise<Look>;
}

/** Result of a check: a few words that say that all is well, or the complaints. */
export type Look = string | readonly Complaint[];

export interface Complaint {
  readonly state: 'warning' | 'problem';
  readonly found: string;
  readonly remedy: string;
}

export const problem = (found: string, remedy: string): Complaint => ({
  state: 'problem',
  found,
  remedy,
});

export const warning = (found: string, remedy: string): Complaint => ({
  state: 'warning',
  found,
  remedy,
});

/** Longest time for a check, longer than any client of ours waits for a connection or an answer. */
const CHECK_MAX_MS = 20_000;

/** Carries a check out, in twenty seconds at most. */
export async function carryOut({ name: check, remedy, look }: Check): Promise<readonly Finding[]> {
  try {
    const seen = await within(CHECK_MAX_MS, look());
    if (typeof seen === 'string') return [{ check, state: 'ok', found: seen, remedy: '' }];
    return seen.map((complaint) => ({ check, ...complaint }));
  } catch (error) {
    return [{ check, state: 'problem', found: wordsOf(error), remedy }];
  }
}

/** Returns the message of an error with that of its cause. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = error.name } = error as { code?: string };
  const own = error.message || code;
  const nested = error instanceof AggregateError ? error.errors[0] : error.cause;
  const cause = nested === undefined ? '' : wordsOf(nested);
  return cause === '' || own.includes(cause) ? own : `${own} (${cause})`;
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
