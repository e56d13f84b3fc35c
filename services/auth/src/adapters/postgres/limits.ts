import { createHash } from 'node:crypto';
import { AppError } from '@junction/errors';
import { clientNetwork } from '@junction/service-kit/http';
import type pg from 'pg';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { LimitState, Limits, Visitor } from '../../application/ports.js';

/** So many points within so many seconds. */
export interface Limit {
  readonly points: number;
  readonly windowS: number;
}

export interface LimitsOptions {
  readonly pool: pg.Pool;
  /** Failed logins of one account, or client, from one network, and of one network altogether. */
  readonly loginOfAccount: Limit;
  readonly loginOfNetwork: Limit;
  /** Registrations from one network; one that meets a taken address costs a tenth of them all. */
  readonly registration: Limit;
}

const SECOND_MS = 1_000;
const TAKEN_SHARE = 10;
const MAILS_OF_ADDRESS: Limit = { points: 5, windowS: 3_600 };

/** Limits that all replicas share, because they lie in the database. */
export function postgresLimits({ pool, ...limits }: LimitsOptions): Limits {
  const network = limiter(pool, 'login-network', limits.loginOfNetwork);
  const registration = limiter(pool, 'register', limits.registration);
  const forgot = limiter(pool, 'forgot-network', limits.loginOfNetwork);
  const mailedToken = limiter(pool, 'mailed-token', limits.loginOfNetwork);
  const mails = limiter(pool, 'mails', MAILS_OF_ADDRESS);
  const ofFactor = limiter(pool, 'second-factor', limits.loginOfAccount);
  const ofUser = limiter(pool, 'login-account', limits.loginOfAccount);
  const ofClient = limiter(pool, 'login-client', limits.loginOfAccount);

  const counted = async <T>(
    { account, name, visitor }: { account: RateLimiterPostgres; name: string; visitor: Visitor },
    prove: () => Promise<T | undefined>,
  ): Promise<T | undefined> => {
    const networkKey = keyOf(clientNetwork(visitor.ip));
    const accountKey = keyOf(clientNetwork(visitor.ip), name);
    await consume(account, accountKey, visitor);
    await consume(network, networkKey, visitor);

    const proved = await prove().catch(async (error: unknown) => {
      // What our own overload spoiled was no guess. It takes back itself alone, or a flood that
      // overloads us would wipe out the guesses before it.
      await Promise.all([account.reward(accountKey), network.reward(networkKey)]);
      throw error;
    });
    if (proved === undefined) return undefined;
    const [, rewarded] = await Promise.all([
      account.delete(accountKey),
      network.reward(networkKey),
    ]);
    visitor.onLimit(unused(account));
    visitor.onLimit(stateOf(network, rewarded));
    return proved;
  };

  return {
    login: ({ email, visitor }, prove) => counted({ account: ofUser, name: email, visitor }, prove),
    secondFactor: ({ userId, visitor }, prove) =>
      counted({ account: ofFactor, name: userId, visitor }, prove),
    clientProof: ({ clientId, visitor }, prove) =>
      counted({ account: ofClient, name: clientId, visitor }, prove),

    forgot: (visitor) => consume(forgot, keyOf(clientNetwork(visitor.ip)), visitor),
    mailedToken: (visitor) => consume(mailedToken, keyOf(clientNetwork(visitor.ip)), visitor),

    async mayMail(address) {
      const used = await spent(mails, keyOf(address));
      return used.consumedPoints <= mails.points;
    },

    register: (visitor) => consume(registration, keyOf(clientNetwork(visitor.ip)), visitor),

    async tookTaken({ ip, onLimit }) {
      const price = Math.ceil(registration.points / TAKEN_SHARE);
      const paid = await registration.penalty(keyOf(clientNetwork(ip)), price - 1);
      onLimit(stateOf(registration, paid));
    },
  };
}

const limiter = (pool: pg.Pool, keyPrefix: string, { points, windowS }: Limit) =>
  new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    tableName: 'attempts',
    tableCreated: true,
    keyPrefix,
    points,
    duration: windowS,
    // Service tokens need no Postgres otherwise: while it is away each replica counts by itself.
    insuranceLimiter: new RateLimiterMemory({ points, duration: windowS }),
  });

/** Counts before the work, so that guesses sent all at once are counted too. */
async function consume(
  limiter: RateLimiterPostgres,
  key: string,
  { onLimit }: Visitor,
): Promise<void> {
  const used = await spent(limiter, key);
  const state = stateOf(limiter, used);
  onLimit(state);
  if (used.consumedPoints > limiter.points) throw tooManyAttempts(state.resetS);
}

/** What is spent with this one. */
const spent = async (limiter: RateLimiterPostgres, key: string): Promise<RateLimiterRes> =>
  limiter.consume(key).catch((error: unknown) => {
    if (error instanceof RateLimiterRes) return error;
    throw error;
  });

const policyOf = ({ keyPrefix: name, points: limit, duration: windowS }: RateLimiterPostgres) => ({
  name,
  limit,
  windowS,
});

const stateOf = (
  limiter: RateLimiterPostgres,
  { remainingPoints, msBeforeNext }: RateLimiterRes,
): LimitState => ({
  ...policyOf(limiter),
  remaining: Math.max(0, remainingPoints),
  resetS: Math.max(1, Math.ceil(msBeforeNext / SECOND_MS)),
});

const unused = (limiter: RateLimiterPostgres): LimitState => {
  const policy = policyOf(limiter);
  return { ...policy, remaining: policy.limit, resetS: policy.windowS };
};

const tooManyAttempts = (retryAfterS: number): AppError =>
  new AppError('too_many_attempts', `Too many attempts. Try again in ${retryAfterS} seconds.`, {
    retryAfterS,
  });

/** Hashed: the table must not say whose address was tried from where. */
const keyOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('base64url');
