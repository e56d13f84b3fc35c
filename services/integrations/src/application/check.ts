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
 * One turn of asking the providers whether connections still stand (RFC 7662): every one within a
 * minute, as far as its provider's limit allows, by one replica at a time. A provider that wants to be
 * left alone (Retry-After, an open breaker) is. Says whether more are due.
 */
export function sweepDue(needs: CheckNeeds, refresher: Refresher): () => Promise<boolean> {
  const sweeps: Sweep[] = [];
  for (const [name, { introspectionsPerS }] of needs.providers) {
    if (introspectionsPerS === undefined) continue;
    sweeps.push({ name, allowed: allowance(introspectionsPerS), restsUntilMs: 0 });
  }
  return async () => {
    if (sweeps.length === 0) return false;
    const led = await needs.checks.lead(sweeps.map(({ name }) => name));
    const asked = sweeps
      .filter(({ name, restsUntilMs }) => led.has(name) && restsUntilMs <= performance.now())
      .map(async (sweep) => sweepOne(needs, refresher, sweep));
    return (await Promise.all(asked)).includes(true);
  };
}

interface Sweep {
  readonly name: Provider;
  readonly allowed: Allowance;
  /** On the clock of performance.now(). */
  restsUntilMs: number;
}

async function sweepOne(needs: CheckNeeds, refresher: Refresher, sweep: Sweep): Promise<boolean> {
  const { name, allowed } = sweep;
  const end = performance.now() + TURN_MS;
  while (performance.now() < end) {
    const limit = allowed.available(needs.now().getTime());
    if (limit > 0) {
      const due = await needs.checks.claimDue(name, limit, CHECK_EVERY_MS);
      allowed.spend(due.length);
      const restMs = await checkAll(needs, refresher, due);
      if (restMs > 0) sweep.restsUntilMs = performance.now() + restMs;
      if (restMs > 0 || due.length < limit) return false;
    }
    await pause(PAUSE_MS);
  }
  return true;
}

/** The connections that somebody has reason to doubt: asked about at once, and again until answered. */
export const checkDoubted =
  (needs: CheckNeeds, refresher: Refresher) => async (): Promise<void> => {
    await checkAll(needs, refresher, await needs.checks.claimDoubted(DOUBTED_AGAIN_MS));
  };

/** A few at a time. What fails is asked again in its turn. Gives how long the provider wants to be left alone. */
async function checkAll(
  needs: CheckNeeds,
  refresher: Refresher,
  due: readonly DueCheck[],
): Promise<number> {
  const waiting = [...due];
  const failures: unknown[] = [];
  const lane = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      await checkOne(needs, refresher, one).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, lane));
  if (failures.length === 0) return 0;
  const fields = { err: failures[0], provider: due[0]?.provider, connections: failures.length };
  needs.log.warn(fields, 'the provider could not be asked whether connections stand');
  return Math.max(...failures.map(askedRestMs));
}

async function checkOne(needs: CheckNeeds, refresher: Refresher, due: DueCheck): Promise<void> {
  const { checks } = needs;
  try {
    const token = await due.token();
    if (token) await ask(needs, refresher, due, token);
  } catch (error) {
    if (!due.wasUnanswered) await checks.leaveUnanswered(due);
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
