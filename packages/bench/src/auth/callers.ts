import { paced } from '../paced.js';
import { quantile } from '../statistics.js';
import type { Figures } from '../suite.js';
import type { Person, Send } from './people.js';

const ROUNDS = 5;
const PER_S = 100;

export interface CallersOptions {
  readonly send: Send;
  /** A route that every user may ask, of a service that is not auth. */
  readonly url: string;
  /** Users with as many keys each as there are rounds, because a key is new to the service only once. */
  readonly people: readonly Person[];
  readonly signal: AbortSignal;
}

export const KEYS_EACH = ROUNDS;

/** Measures one route with a token, with API keys that are new to the service, and with the same keys again. */
export async function measureCallers(options: CallersOptions): Promise<Figures> {
  const { send, url, people, signal } = options;
  const seconds = people.length / PER_S;
  const timed = (credentialOf: (person: Person) => string | undefined) =>
    paced(
      async (n) => send('GET', url, { credential: credentialOf(people[n] as Person) ?? '' }),
      { perS: PER_S, seconds },
      signal,
    );
  const [byToken, byNewKey, byKnownKey]: [number[], number[], number[]] = [[], [], []];
  await timed(({ token }) => token);
  for (let round = 0; round < ROUNDS; round++) {
    byToken.push(...(await timed(({ token }) => token)));
    byNewKey.push(...(await timed(({ keys }) => keys[round])));
    byKnownKey.push(...(await timed(({ keys }) => keys[round])));
  }
  const p50 = quantile(byToken, 0.5);
  return {
    token_p50_ms: p50,
    key_new_p50_ratio: quantile(byNewKey, 0.5) / p50,
    key_cached_p50_ratio: quantile(byKnownKey, 0.5) / p50,
  };
}
