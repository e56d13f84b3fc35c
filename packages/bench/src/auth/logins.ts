import { paced } from '../paced.js';
import { quantile } from '../statistics.js';
import type { Figures } from '../suite.js';
import { logIn, type Person, RefusedError, type Send } from './people.js';

const ROUNDS = 5;
const PER_S = 100;
/** Logins at once: more than auth hashes at a time, and fewer than may wait. */
const LOGINS_AT_ONCE = 16;

export interface LoginsOptions {
  readonly send: Send;
  readonly authUrl: string;
  /** Routes that are asked beside the logins. */
  readonly urls: readonly string[];
  readonly people: readonly Person[];
  readonly secondsPerRound: number;
  readonly signal: AbortSignal;
}

/** Other routes alone and beside as many logins as auth will take, in turn. */
export async function measureLogins(options: LoginsOptions): Promise<Figures> {
  const [alone, beside]: [number[], number[]] = [[], []];
  let refused = 0;
  let loggedIn = 0;
  const askOthers = () => others(options, () => void refused++);
  await askOthers();
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(...(await askOthers()));
    const logins = manyLogins(options);
    beside.push(...(await askOthers()));
    loggedIn += await logins.end();
  }
  return {
    logins_per_s: loggedIn / (ROUNDS * options.secondsPerRound),
    others_p50_ms: quantile(alone, 0.5),
    beside_logins_p50_ratio: quantile(beside, 0.5) / quantile(alone, 0.5),
    beside_logins_p99_ratio: quantile(beside, 0.99) / quantile(alone, 0.99),
    refused_beside_logins: refused,
  };
}

/** Calls each route as each user in turn, and counts the refused calls. */
const others = (
  { send, urls, people, secondsPerRound: seconds, signal }: LoginsOptions,
  onRefused: () => void,
) =>
  paced(
    async (n) => {
      const { token } = people[n % people.length] as Person;
      const url = urls[n % urls.length] ?? '';
      await send('GET', url, { credential: token }).catch((error: unknown) => {
        if (!(error instanceof RefusedError)) throw error;
        onRefused();
      });
    },
    { perS: PER_S, seconds },
    signal,
  );

/** Logs in again and again until it is ended, which gives the number of logins. */
function manyLogins({ send, authUrl, people }: LoginsOptions) {
  let isOver = false;
  let count = 0;
  const work = async (_: unknown, first: number) => {
    for (let n = first; !isOver; n += LOGINS_AT_ONCE) {
      await logIn(send, authUrl, people[n % people.length] as Person);
      count += 1;
    }
  };
  const working = Promise.all(Array.from({ length: LOGINS_AT_ONCE }, work));
  return {
    end: async () => {
      isOver = true;
      await working;
      return count;
    },
  };
}
