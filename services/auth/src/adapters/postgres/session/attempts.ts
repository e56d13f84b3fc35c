import { turns } from '@junction/async';
import { AppError } from '@junction/errors';
import { inWords } from '@junction/service';
import { clientNetworks, tightest } from '@junction/service/http';
import type pg from 'pg';
import type { LimitState, Visitor } from '../../../application/ports.js';
import { type Bound, isReached, look, raise, type Standing } from '../counts.js';

const SECOND_MS = 1_000;

/**
 * Attempts of one account, and accounts of one network, that wait for each other. A password takes some thirty
 * milliseconds to be checked, so the last one waits for about six seconds.
 */
const WAITING_MAX = 200;
const WAIT_MAX_MS = 10_000;

export interface Attempt {
  /** The first bound names the line: attempts of another kind do not wait for those of this one. */
  readonly bounds: readonly [Bound, ...Bound[]];
  readonly visitor: Visitor;
  /** Account, or session, whose attempts wait for each other first, so that it leaves turns to its network. */
  readonly account?: string;
}

export interface Attempts {
  /**
   * Refuses an attempt where a bound is reached, makes it, and counts what it costs. Those of one kind and network wait
   * for each other, so that many at once are counted as if they came one by one; each replica may let one of each kind
   * too many through. An attempt that throws costs nothing: what our own overload spoils is no guess.
   * @throws AppError `too_many_attempts`, `too_busy`.
   */
  make<T>(
    attempt: Attempt,
    work: (before: readonly Standing[]) => Promise<T>,
    costOf: (outcome: T) => number,
  ): Promise<T>;
  /** Makes attempts that share the count of several networks wait for each other, where `make` is called within. */
  ofAccount<T>(account: string, work: () => Promise<T>): Promise<T>;
}

export function attempts(pool: pg.Pool): Attempts {
  const waiting = { waitingMax: WAITING_MAX, waitMaxMs: WAIT_MAX_MS, refusal: tooBusy };
  const ofAccount = turns(waiting);
  const ofNetwork = turns(waiting);
  return {
    ofAccount,
    make({ bounds, visitor, account }, work, costOf) {
      const line = `${bounds[0].name}/${widestNetwork(visitor)}`;
      const attempted = () =>
        ofNetwork(line, async () => {
          const before = await look(pool, bounds);
          show(visitor, before);
          refuseWhereReached(before);
          const outcome = await work(before);
          const cost = costOf(outcome);
          if (cost > 0) show(visitor, await raise(pool, bounds, cost));
          return outcome;
        });
      return account === undefined ? attempted() : ofAccount(`${line}/${account}`, attempted);
    },
  };
}

/** The narrower networks are part of this one, so its turn is theirs too. */
const widestNetwork = ({ ip }: Visitor): string => clientNetworks(ip).at(-1)?.name ?? ip;

/** The next attempt is taken when the last of the windows that are used up has ended. */
function refuseWhereReached(standings: readonly Standing[]): void {
  const reached = standings.filter(isReached);
  if (reached.length > 0) throw tooManyAttempts(Math.max(...reached.map(resetOf)));
}

/** Tells the visitor how the bounds stand: of the networks of one limit that with the least left. */
export function show({ onLimit }: Visitor, standings: readonly Standing[]): void {
  for (const state of tightest(standings.map(stateOf))) onLimit(state);
}

const stateOf = (standing: Standing): LimitState => ({
  name: standing.name,
  limit: standing.points,
  windowS: standing.windowS,
  remaining: Math.max(0, standing.points - standing.used),
  resetS: resetOf(standing),
});

const resetOf = ({ leftMs }: Standing): number => Math.max(1, Math.ceil(leftMs / SECOND_MS));

const tooManyAttempts = (retryAfterS: number): AppError =>
  new AppError('too_many_attempts', `Too many attempts. Try again in ${inWords(retryAfterS)}.`, {
    retryAfterS,
  });

const tooBusy = (): AppError =>
  new AppError(
    'too_busy',
    'Many requests of this network or account wait for each other. Try again in a moment.',
    { retryAfterS: 1 },
  );
