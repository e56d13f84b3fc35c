import type pg from 'pg';
import type { Limits, Visitor } from '../../application/ports.js';
import {
  type Bound,
  boundOf,
  boundsOfNetworks,
  clear,
  deleteEnded,
  isReached,
  type Limit,
  look,
  type Standing,
  unused,
} from './counts.js';
import { type Attempt, type Attempts, attempts, show } from './session/attempts.js';

export interface LimitsOptions {
  readonly pool: pg.Pool;
  /** Returns the limits that count now. */
  readonly limits: () => SignInLimits;
}

export interface SignInLimits {
  /** Failed logins of one account, or client, from one network, and of one network altogether. */
  readonly loginOfAccount: Limit;
  readonly loginOfNetwork: Limit;
  /** Registrations from one network; one that meets a taken address costs a tenth of them all. */
  readonly registration: Limit;
}

const TAKEN_SHARE = 10;
/** Challenges to a guess: each sign-in by a passkey takes one, also those of many people in one office. */
const CHALLENGES = 10;

/**
 * Guesses at a second factor come from somebody who knows the password. Three of a million codes are right at a
 * time, so this limit leaves two chances in a hundred a year; an hour in place of the day would leave two in five.
 */
const FACTOR_OF_ACCOUNT: Limit = { points: 20, windowS: 24 * 3_600 };
const GUESSES_OF_SESSION: Limit = { points: 5, windowS: 24 * 3_600 };

/** Limits that all replicas share, because they lie in the database. */
export function postgresLimits({ pool, limits }: LimitsOptions): Limits {
  const made = attempts(pool);
  const ofPassword = (email: string, visitor: Visitor) =>
    byNetwork('login-account', limits().loginOfAccount, visitor, email);
  const ofFactor = (userId: string, visitor: Visitor): Bounds => [
    ...byNetwork('second-factor', limits().loginOfAccount, visitor, userId),
    boundOf('second-factor-account', FACTOR_OF_ACCOUNT, userId),
  ];

  /** Takes a proof that can be guessed. A right one begins the counts of its own bounds anew. */
  const guess = async <T>(own: Bounds, attempt: Attempt, prove: Prove<T>) => {
    const proved = await made.make(attempt, clearing(pool, own, prove), costOfFailure);
    if (proved === undefined) return undefined;
    show(attempt.visitor, own.map(unused));
    return proved;
  };

  /** The guesses of a network are counted with those at an account. */
  const guessAtSignIn = async <T>(
    own: Bounds,
    visitor: Visitor,
    prove: Prove<T>,
    account?: string,
  ) => {
    const { loginOfNetwork } = limits();
    const bounds: Bounds = [...own, ...byNetwork('login-network', loginOfNetwork, visitor)];
    return guess(own, { bounds, visitor, ...(account !== undefined && { account }) }, prove);
  };

  return {
    login: ({ email, visitor }, prove) =>
      guessAtSignIn(ofPassword(email, visitor), visitor, prove, email),

    // The networks of an account's guesses are counted together, so its turn is needed beside theirs.
    secondFactor: ({ userId, visitor }, prove) =>
      made.ofAccount(userId, () => guessAtSignIn(ofFactor(userId, visitor), visitor, prove)),

    async inSession({ sessionId, kind, visitor, end }, prove) {
      const bounds: Bounds = [boundOf(`session-${kind}`, GUESSES_OF_SESSION, sessionId)];
      let proved: Awaited<ReturnType<typeof prove>>;
      try {
        proved = await made.ofAccount(sessionId, () => guess(bounds, { bounds, visitor }, prove));
        return proved;
      } finally {
        // Looked at after a refusal too: whoever counted the last guess may have stopped before the end.
        if (proved === undefined && (await look(pool, bounds)).some(isReached)) await end();
      }
    },

    passwordReset: ({ email, visitor }) => clear(pool, ofPassword(email, visitor)),

    ...unguessable(made, limits),

    register(visitor, isTaken) {
      const { registration } = limits();
      const bounds = byNetwork('register', registration, visitor);
      return made.make({ bounds, visitor }, isTaken, costOfTaken(registration));
    },

    deleteEnded: () => deleteEnded(pool),
  };
}

/** Limits on secrets of full entropy. A right one is not refused, whatever was shown before, and asks no limit. */
function unguessable(
  { make }: Attempts,
  limits: LimitsOptions['limits'],
): Pick<Limits, 'clientProof' | 'mailedToken' | 'forgot' | 'challenge'> {
  const count = async (bounds: Bounds, visitor: Visitor): Promise<void> =>
    make({ bounds, visitor }, nothing, () => 1);

  const secret = async <T>(bounds: Bounds, visitor: Visitor, prove: Prove<T>) => {
    const proved = await prove();
    if (proved === undefined) await count(bounds, visitor);
    return proved;
  };

  return {
    clientProof: ({ clientId, visitor }, prove) => {
      const { loginOfAccount, loginOfNetwork } = limits();
      const bounds: Bounds = [
        ...byNetwork('login-client', loginOfAccount, visitor, clientId),
        ...byNetwork('client-network', loginOfNetwork, visitor),
      ];
      return secret(bounds, visitor, prove);
    },

    mailedToken: (visitor, prove) =>
      secret(byNetwork('mailed-token', limits().loginOfNetwork, visitor), visitor, prove),

    forgot: (visitor) =>
      count(byNetwork('forgot-network', limits().loginOfNetwork, visitor), visitor),

    challenge(visitor) {
      const { loginOfNetwork } = limits();
      const limit = { ...loginOfNetwork, points: CHALLENGES * loginOfNetwork.points };
      return count(byNetwork('challenge-network', limit, visitor), visitor);
    },
  };
}

type Bounds = Attempt['bounds'];
type Prove<T> = () => Promise<T | undefined>;

/** A proof that, when it is right, begins the counts of these bounds anew where they had any points before. */
const clearing =
  <T>(pool: pg.Pool, own: Bounds, prove: Prove<T>) =>
  async (before: readonly Standing[]): Promise<T | undefined> => {
    const proved = await prove();
    const keys = own.map(({ key }) => key);
    const used = before.filter((standing) => standing.used > 0 && keys.includes(standing.key));
    if (proved !== undefined && used.length > 0) await clear(pool, used);
    return proved;
  };

const nothing = async (): Promise<void> => {};
const costOfTaken =
  ({ points }: Limit) =>
  (taken: boolean): number =>
    taken ? Math.ceil(points / TAKEN_SHARE) : 1;
const costOfFailure = (proved: unknown): number => (proved === undefined ? 1 : 0);

const byNetwork = (
  name: string,
  limit: Limit,
  { ip }: Visitor,
  ...of: readonly string[]
): Bounds => {
  const [narrowest, ...wider] = boundsOfNetworks(name, limit, ip, ...of);
  return [narrowest as Bound, ...wider];
};
