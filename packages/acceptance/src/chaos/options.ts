import { parseArgs } from 'node:util';

const SEED_MAX = 2 ** 32 - 1;
const KILLS_MAX = 1_000;
const KILLS = 50;

export interface Options {
  /** Undefined: one is to be drawn. */
  readonly seed: number | undefined;
  readonly kills: number;
}

/** The options cannot be carried out; the message says which ones can. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Reads `--seed N --kills N`. Throws UsageError naming every mistake at once. */
export function parseOptions(args: readonly string[]): Options {
  const { seed, kills } = valuesOf(args);
  const problems: string[] = [];
  const whole = (name: string, text: string, min: number, max: number): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max) {
      problems.push(`--${name} is "${text}"; it must be a whole number from ${min} to ${max}.`);
    }
    return value;
  };
  const options = {
    seed: seed === undefined ? undefined : whole('seed', seed, 0, SEED_MAX),
    kills: kills === undefined ? KILLS : whole('kills', kills, 1, KILLS_MAX),
  };
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return options;
}

function valuesOf(args: readonly string[]) {
  const options = { seed: { type: 'string' }, kills: { type: 'string' } } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${problem}\nUsage: npm run chaos -- [--seed N] [--kills ${KILLS}]`, {
      cause: error,
    });
  }
}
