/** What was looked at, what was found there, and what to do about it. */
export interface Finding {
  /** A few words: `database`, `topics`, … */
  readonly check: string;
  /** `warning`: it works now, and may not for long. */
  readonly state: 'ok' | 'warning' | 'problem';
  /** A sentence. No secret, and no address of a person. */
  readonly found: string;
  /** A sentence; empty when all is well. */
  readonly remedy: string;
}

/** One check: what it is called, and what finds it out. A check that throws has found a problem. */
export interface Check {
  readonly name: string;
  /** It says nothing while the database cannot be reached. */
  readonly needsDatabase?: boolean;
  /** What to do when it throws. */
  readonly remedy: string;
  /** Gives what there is to say besides that all is well. */
  readonly look: () => Promise<Look>;
}

/** What a check saw: that all is well, in a few words, or what is not. */
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

/** Longer than any client of ours waits for a connection or an answer. */
const CHECK_MAX_MS = 20_000;

/** Carries a check out; it takes twenty seconds at most. */
export async function carryOut({ name: check, remedy, look }: Check): Promise<readonly Finding[]> {
  try {
    const seen = await within(CHECK_MAX_MS, look());
    if (typeof seen === 'string') return [{ check, state: 'ok', found: seen, remedy: '' }];
    return seen.map((complaint) => ({ check, ...complaint }));
  } catch (error) {
    return [{ check, state: 'problem', found: wordsOf(error), remedy }];
  }
}

/** The words of an error and of what caused it. */
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
