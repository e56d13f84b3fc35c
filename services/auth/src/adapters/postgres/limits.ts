import { createHash } from 'node:crypto';
import { clientNetwork } from '@junction/service-kit/http';
import type pg from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Limits } from '../../application/ports.js';
import { RateLimitedError } from '../../application/rate-limited-error.js';

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

/** Limits that all replicas share, because they lie in the database. */
export function postgresLimits({ pool, ...limits }: LimitsOptions): Limits {
  const network = limiter(pool, 'login-network', limits.loginOfNetwork);
  const registration = limiter(pool, 'register', limits.registration);
  const ofUser = limiter(pool, 'login-account', limits.loginOfAccount);
  const ofClient = limiter(pool, 'login-client', limits.loginOfAccount);

  const counted = async <T>(
    { account, name, ip }: { account: RateLimiterPostgres; name: string; ip: string },
    prove: () => Promise<T | undefined>,
  ): Promise<T | undefined> => {
    const networkKey = keyOf(clientNetwork(ip));
    const accountKey = keyOf(clientNetwork(ip), name);
    await consume(account, accountKey);
    await consume(network, networkKey);

    const proved = await prove().catch(async (error: unknown) => {
      // What our own overload spoiled was no guess. It takes back itself alone, or a flood that
      // overloads us would wipe out the guesses before it.
      await Promise.all([account.reward(accountKey), network.reward(networkKey)]);
      throw error;
    });
    if (proved !== undefined) {
      await Promise.all([account.delete(accountKey), network.reward(networkKey)]);
    }
    return proved;
  };

  return {
    login: ({ email, ip }, prove) => counted({ account: ofUser, name: email, ip }, prove),
    clientSecret: ({ clientId, ip }, prove) =>
      counted({ account: ofClient, name: clientId, ip }, prove),

    register: (ip) => consume(registration, keyOf(clientNetwork(ip))),

    async tookTaken(ip) {
      const price = Math.ceil(registration.points / TAKEN_SHARE);
      await registration.penalty(keyOf(clientNetwork(ip)), price - 1);
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
  });

/** Counts before the work, so that guesses sent all at once are counted too. */
async function consume(limiter: RateLimiterPostgres, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    const resetS = Math.max(1, Math.ceil(error.msBeforeNext / SECOND_MS));
    throw new RateLimitedError({ limit: limiter.points, windowS: limiter.duration, resetS });
  }
}

/** Hashed: the table must not say whose address was tried from where. */
const keyOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('base64url');
