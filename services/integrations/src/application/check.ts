import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '@junction/errors';
import { type Allowance, allowance } from '../domain/allowance.js';
import type { Provider } from '../domain/connection/events.js';
import type { CheckedConnection, DueCheck, Needs, RevocableToken } from './needs.js';
import { askedRestMs } from './provider-refusal.js';
import type { Refresher } from './refresh.js';

const SECOND_MS = 1_000;
/** With the rest between two turns, a revocation there is noticed within a minute. */
export const CHECK_EVERY_MS = 50 * SECOND_MS;
const DOUBTED_AGAIN_MS = 30 * SECOND_MS;
const TURN_MS = 2 * SECOND_MS;
const PAUSE_MS = 250;
const AT_ONCE_MAX = 10;

type CheckNeeds = Pick<Needs, 'providers' | 'checks' | 'log' | 'now'>;

/**
 * Asks the providers whether connections still stand (RFC 7662). A provider that wants to be left alone
 * (Retry-After, an open breaker) is, also about connections that somebody has reason to doubt.
 */
export interface Checker {
  /**
   * One turn over all connections: every one within a minute, as far as its provider's limit allows, by one
   * replica at a time. Says whether more are due.
   */
  sweep(): Promise<boolean>;
  /** The connections that somebody has reason to doubt: asked about at once, and again until answered. */
  checkDoubted(): Promise<void>;
  /** From now on no further connection is asked about. */
  stop(): void;
}

export function checker(needs: CheckNeeds, refresher: Refresher): Checker {
  const checking = {
    needs,
    refresher,
    restsUntilMs: new Map<Provider, number>(),
    isStopping: false,
  };
  const sweeps: Sweep[] = [];
  for (const [name, { introspectionsPerS }] of needs.providers) {
    if (introspectionsPerS === undefined) continue;
    sweeps.push({ name, allowed: allowance(introspectionsPerS) });
  }
  return {
    async sweep() {
      if (sweeps.length === 0) return false;
      const led = await needs.checks.lead(sweeps.map(({ name }) => name));
      const asked = sweeps
        .filter(({ name }) => led.has(name))
        .map(async (sweep) => sweepOne(checking, sweep));
      return (await Promise.all(asked)).includes(true);
    },

    async checkDoubted() {
      const resting = [...needs.providers.keys()].filter((name) => isResting(checking, name));
      const doubted = await needs.checks.claimDoubted(resting, DOUBTED_AGAIN_MS);
      await checkAll(checking, doubted);
    },

    stop() {
      checking.isStopping = true;
    },
  };
}

interface Checking {
  readonly needs: CheckNeeds;
  readonly refresher: Refresher;
  /** By provider, on the clock of performance.now(): what this replica heard of them. */
  readonly restsUntilMs: Map<Provider, number>;
  readonly isStopping: boolean;
}

interface Sweep {
  readonly name: Provider;
  readonly allowed: Allowance;
}

async function sweepOne(checking: Checking, { name, allowed }: Sweep): Promise<boolean> {
  const { checks, now } = checking.needs;
  const end = performance.now() + TURN_MS;
  while (performance.now() < end) {
    if (checking.isStopping || isResting(checking, name)) return false;
    const limit = allowed.available(now().getTime());
    if (limit > 0) {
      const due = await checks.claimDue(name, limit, CHECK_EVERY_MS);
      allowed.spend(due.length);
      await checkAll(checking, due);
      if (due.length < limit) return false;
    }
    await pause(PAUSE_MS);
  }
  return true;
}

const isResting = ({ restsUntilMs }: Checking, provider: Provider): boolean =>
  (restsUntilMs.get(provider) ?? 0) > performance.now();

/**
 * A few at a time, until their provider wants to be left alone. What fails is asked again in its turn; what
 * waits when we stop is left to another replica.
 */
async function checkAll(checking: Checking, due: readonly DueCheck[]): Promise<void> {
  const { needs, refresher, restsUntilMs } = checking;
  const waiting = [...due];
  const failures: { readonly provider: Provider; readonly error: unknown }[] = [];
  const next = () => (checking.isStopping ? undefined : waiting.shift());
  const lane = async () => {
    for (let one = next(); one !== undefined; one = next()) {
      const { provider } = one;
      const done = isResting(checking, provider)
        ? leaveUnanswered(needs, one)
        : checkOne(needs, refresher, one);
      await done.catch((error: unknown) => {
        failures.push({ provider, error });
        const untilMs = performance.now() + askedRestMs(error);
        // Another call may have heard of a longer rest, and that one stands.
        restsUntilMs.set(provider, Math.max(untilMs, restsUntilMs.get(provider) ?? 0));
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, lane));
  for (const name of new Set(failures.map(({ provider }) => provider))) {
    const its = failures.filter(({ provider }) => provider === name);
    const fields = { err: its[0]?.error, provider: name, connections: its.length };
    needs.log.warn(fields, 'the provider could not be asked whether connections stand');
  }
  if (waiting.length > 0) await needs.checks.giveBack(waiting);
}

async function leaveUnanswered({ checks }: CheckNeeds, due: DueCheck): Promise<void> {
  if (!due.wasUnanswered) await checks.leaveUnanswered(due);
}

async function checkOne(needs: CheckNeeds, refresher: Refresher, due: DueCheck): Promise<void> {
  const { checks } = needs;
  try {
    const token = await due.token();
    if (token) await ask(needs, refresher, due, token);
  } catch (error) {
    await leaveUnanswered(needs, due);
    throw error;
  }
  if (due.doubted) await checks.settle(due.connectionId, CHECK_EVERY_MS);
  else if (due.wasUnanswered) await checks.answered(due);
}

/**
 * Asks about one connection, and ends it when it no longer stands. A refresh is the proof: that is done
 * by one at a time, so a token that was just replaced is not taken for a revoked one; nor does an odd
 * answer of the provider end all its connections. Without introspection it is the only way to ask,
 * taken when the connection is doubted.
 */
export async function ask(
  { providers, checks, now }: Pick<Needs, 'providers' | 'checks' | 'now'>,
  refresher: Refresher,
  connection: CheckedConnection & { readonly doubted: boolean },
  token: RevocableToken,
): Promise<void> {
  const answer = await providers.get(connection.provider)?.introspect(token);
  if (answer === undefined || answer === 'active') return;
  if (answer === 'unsupported' && !connection.doubted) return;

  await refresher.renew(connection, connection.provider).catch((error: unknown) => {
    // There is nothing to refresh it with: the answer stands alone.
    if (!(error instanceof AppError) || error.code !== 'token_not_renewable') throw error;
  });
  if (answer === 'inactive') await checks.end(connection, now());
}
