import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Provider } from '../domain/connection/events.js';
import { checker } from './check.js';
import type { DueCheck, Needs } from './needs.js';
import { ProviderError } from './provider-error.js';
import type { Refresher } from './refresh.js';

/** As many as are asked about at once. */
const LANES = 10;
const SHORT_MS = 5;

describe('a provider that wants to be left alone', () => {
  it('is asked no more about connections that are doubted, nor about any other', async () => {
    const { checks, asked, unanswered, restingAt } = doubted([
      ...Array.from({ length: 50 }, () => 'mailbox' as const),
      'calendar',
    ]);
    await checks.checkDoubted();
    expect(asked('mailbox')).toBe(LANES);
    expect(asked('calendar')).toBe(1);
    // Not asked is not answered, as far as anybody is concerned who waits for it.
    expect(unanswered()).toBe(50);
    expect(restingAt()).toEqual([]);

    await checks.checkDoubted();
    expect(restingAt()).toEqual(['mailbox']);
    await checks.sweep();
    expect(asked('mailbox')).toBe(LANES);
    expect(asked('calendar')).toBeGreaterThan(2);
  });

  it('for a minute, as one call hears, and for less, as another does, is for a minute', async () => {
    const { checks, asked, restingAt, busyFor } = doubted(['mailbox', 'mailbox']);
    busyFor(60_000, SHORT_MS);
    await checks.checkDoubted();
    expect(asked('mailbox')).toBe(2);
    await pause(2 * SHORT_MS);
    await checks.checkDoubted();
    expect(restingAt()).toEqual(['mailbox']);
  });
});

describe('a database that is away', () => {
  it('is no reason to leave a turn before its end', async () => {
    const { checks, asked, warned, takeUnanswered } = doubted([
      ...Array.from({ length: 50 }, () => 'mailbox' as const),
      ...Array.from({ length: 50 }, () => 'calendar' as const),
    ]);
    takeUnanswered(LANES);
    await checks.checkDoubted();
    expect(asked('calendar')).toBe(50);
    expect(warned()).toEqual([{ provider: 'mailbox', connections: 50 }]);
  });
});

describe('a stop', () => {
  it('gives back the connections that are not asked about yet', async () => {
    const { checks, asked, givenBack } = doubted(
      Array.from({ length: 50 }, () => 'calendar' as const),
    );
    const turn = checks.checkDoubted();
    checks.stop();
    await turn;
    expect(asked('calendar')).toBeLessThanOrEqual(LANES);
    expect(asked('calendar') + givenBack()).toBe(50);
  });
});

interface Warned {
  readonly provider: Provider;
  readonly connections: number;
}

/** These are doubted until settled. Mailbox is busy for a minute, calendar answers. */
function doubted(of: readonly Provider[]) {
  const asked: Provider[] = [];
  const warned: Warned[] = [];
  let unanswered = 0;
  let givenBack = 0;
  let unansweredMax = Infinity;
  let restingAt: readonly Provider[] = [];
  let rests: number[] = [];
  const busy = () => {
    throw new ProviderError({
      failure: 'unavailable',
      reason: 'http_429',
      sent: true,
      retryAfterMs: rests.shift() ?? 60_000,
    });
  };
  const provider = (name: Provider) => ({
    introspectionsPerS: 1_000,
    async introspect() {
      asked.push(name);
      return name === 'mailbox' ? busy() : 'active';
    },
  });
  const due = (name: Provider): DueCheck => ({
    connectionId: 'con_1',
    userId: 'ada',
    provider: name,
    credentialVersion: 1,
    doubted: true,
    dueSince: new Date(),
    wasUnanswered: false,
    token: async () => ({ token: 'rt', hint: 'refresh_token' }),
  });
  const needs = {
    providers: new Map([
      ['mailbox', provider('mailbox')],
      ['calendar', provider('calendar')],
    ]),
    checks: {
      lead: async (names: readonly Provider[]) => new Set(names),
      claimDue: async (name: Provider) => [due(name)],
      async claimDoubted(resting: readonly Provider[]) {
        restingAt = resting;
        return of.filter((name) => !resting.includes(name)).map(due);
      },
      async leaveUnanswered() {
        if (unanswered >= unansweredMax) throw new Error('The database is away.');
        unanswered += 1;
      },
      giveBack: async (checks: readonly DueCheck[]) => void (givenBack += checks.length),
      settle: async () => undefined,
    },
    log: {
      warn: ({ provider: name, connections }: Warned) =>
        void warned.push({ provider: name, connections }),
    },
    now: () => new Date(),
  } as unknown as Needs;
  return {
    checks: checker(needs, {} as Refresher),
    asked: (name: Provider) => asked.filter((one) => one === name).length,
    unanswered: () => unanswered,
    givenBack: () => givenBack,
    warned: () => warned,
    /** The database takes so many, and then is away. */
    takeUnanswered: (max: number) => void (unansweredMax = max),
    restingAt: () => restingAt,
    /** What the next calls about mailbox are told. */
    busyFor: (...restsMs: number[]) => void (rests = restsMs),
  };
}
