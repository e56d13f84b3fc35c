import { pause } from '@junction/async';
import { type Allowance, allowance } from '../../domain/allowance.js';
import { CHECK_EVERY_MS } from '../../domain/check-interval.js';
import { type ClientName, clientName } from '../../domain/connection/events.js';
import type { OAuthProvider } from '../oauth-provider.js';
import type { Ports } from '../ports.js';
import { askedRestMs } from '../provider-refusal.js';
import type { AskProvider, Checks, DueCheck } from './ports.js';
import { tokenToCheck } from './token-to-check.js';

const SECOND_MS = 1_000;
const SUSPECTED_AGAIN_MS = 30 * SECOND_MS;
const TURN_MS = 2 * SECOND_MS;
const PAUSE_MS = 250;
const AT_ONCE_MAX = 10;

interface CheckPorts extends Pick<Ports, 'now' | 'monotonicMs'> {
  readonly providers: ReadonlyMap<ClientName, Pick<OAuthProvider, 'introspectionsPerS'>>;
  readonly checks: Omit<Checks, 'overdueMs'>;
  readonly log: Pick<Ports['log'], 'warn'>;
}

/**
 * Asks the providers whether connections still stand (RFC 7662). A provider that wants to be left alone (Retry-After,
 * an open breaker) gets no more requests, not even about connections that are suspected to have ended. A refresh that
 * proves a connection rests by itself, and its answer is about that connection alone.
 */
export interface Checker {
  /**
   * Runs one turn over all connections: every connection within a minute, as far as its provider's limit allows, by one
   * replica at a time. Tells whether more are due.
   */
  sweep(): Promise<boolean>;
  /** Checks the connections that are suspected to have ended: at once, and again until they are answered. */
  checkSuspected(): Promise<void>;
  /** Starts no further check from now on. */
  stop(): void;
}

export function checker(ports: CheckPorts, ask: AskProvider): Checker {
  const checking = {
    ports,
    ask,
    pausedUntilMs: new Map<ClientName, number>(),
    isStopping: false,
  };
  const sweeps: Sweep[] = [];
  for (const [name, { introspectionsPerS }] of ports.providers) {
    if (introspectionsPerS === undefined) continue;
    sweeps.push({ name, allowed: allowance(introspectionsPerS) });
  }
  return {
    async sweep() {
      if (sweeps.length === 0) return false;
      const led = await ports.checks.lead(sweeps.map(({ name }) => name));
      const asked = sweeps
        .filter(({ name }) => led.has(name))
        .map(async (sweep) => sweepOne(checking, sweep));
      return (await Promise.all(asked)).includes(true);
    },

    async checkSuspected() {
      const paused = [...ports.providers.keys()].filter((name) => isPaused(checking, name));
      const suspected = await ports.checks.claimSuspected(paused, SUSPECTED_AGAIN_MS);
      await checkAll(checking, suspected);
    },

    stop() {
      checking.isStopping = true;
    },
  };
}

interface Checking {
  readonly ports: CheckPorts;
  readonly ask: AskProvider;
  /** Ends of the pauses that this replica's calls were answered with: by client, on the monotonic clock. */
  readonly pausedUntilMs: Map<ClientName, number>;
  readonly isStopping: boolean;
}

interface Sweep {
  readonly name: ClientName;
  readonly allowed: Allowance;
}

async function sweepOne(checking: Checking, { name, allowed }: Sweep): Promise<boolean> {
  const { checks, now, monotonicMs } = checking.ports;
  const end = monotonicMs() + TURN_MS;
  while (monotonicMs() < end) {
    if (checking.isStopping || isPaused(checking, name)) return false;
    const limit = allowed.available(now().getTime());
    if (limit > 0) {
      const due = await checks.claimDue(name, limit, CHECK_EVERY_MS);
      allowed.take(due.length);
      await checkAll(checking, due);
      if (due.length < limit) return false;
    }
    await pause(PAUSE_MS);
  }
  return true;
}

const isPaused = ({ ports, pausedUntilMs }: Checking, client: ClientName): boolean =>
  (pausedUntilMs.get(client) ?? 0) > ports.monotonicMs();

/**
 * Runs checks a few at a time, until their provider wants to be left alone. A failed check is repeated in its turn;
 * checks that wait when we stop are left to another replica.
 */
async function checkAll(checking: Checking, due: readonly DueCheck[]): Promise<void> {
  const { ports, ask, pausedUntilMs } = checking;
  const waiting = [...due];
  const failures: { readonly client: ClientName; readonly error: unknown }[] = [];
  const next = () => (checking.isStopping ? undefined : waiting.shift());
  const work = async () => {
    for (let one = next(); one !== undefined; one = next()) {
      const client = clientName(one);
      const done = isPaused(checking, client)
        ? leaveUnanswered(ports, one)
        : checkOne(ports, ask, one);
      await done.catch((error: unknown) => {
        failures.push({ client, error });
        const untilMs = ports.monotonicMs() + askedRestMs(error);
        // The provider may have asked another call for a longer pause, which stays.
        pausedUntilMs.set(client, Math.max(untilMs, pausedUntilMs.get(client) ?? 0));
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, work));
  for (const name of new Set(failures.map(({ client }) => client))) {
    const its = failures.filter(({ client }) => client === name);
    const fields = { err: its[0]?.error, client: name, connections: its.length };
    ports.log.warn(fields, 'the provider could not be asked whether connections stand');
  }
  if (waiting.length > 0) await ports.checks.giveBack(waiting);
}

async function leaveUnanswered({ checks }: CheckPorts, due: DueCheck): Promise<void> {
  if (!due.wasUnanswered) await checks.leaveUnanswered(due);
}

async function checkOne(ports: CheckPorts, ask: AskProvider, due: DueCheck): Promise<void> {
  const { checks } = ports;
  try {
    const token = await tokenToCheck(due);
    if (token) await ask(due, token);
  } catch (error) {
    await leaveUnanswered(ports, due);
    throw error;
  }
  if (due.suspected) await checks.confirm(due.connectionId, CHECK_EVERY_MS);
  else if (due.wasUnanswered) await checks.answered(due);
}
