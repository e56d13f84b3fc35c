import { describe, expect, it } from '@jest/globals';
import { type ClientName, clientName, clientNamed } from '../../domain/connection/events.js';
import { ProviderError } from '../provider-error.js';
import { providerUnavailable } from '../provider-refusal.js';
import { checker } from './check.js';
import type { AskProvider, DueCheck } from './ports.js';

/** Checks that are sent at once. */
const LANES = 10;
const SHORT_MS = 5_000;

describe('a provider that wants to be left alone', () => {
  it('is asked no more about connections that are suspected, nor about any other', async () => {
    const { checks, asked, unanswered, pausedAt } = suspected([
      ...Array.from({ length: 50 }, () => 'acme/mailbox' as const),
      'acme/calendar',
    ]);
    await checks.checkSuspected();
    expect(asked('acme/mailbox')).toBe(LANES);
    expect(asked('acme/calendar')).toBe(1);
    // A check that was not sent is unanswered for everybody who waits for it.
    expect(unanswered()).toBe(50);
    expect(pausedAt()).toEqual([]);

    await checks.checkSuspected();
    expect(pausedAt()).toEqual(['acme/mailbox']);
    await checks.sweep();
    expect(asked('acme/mailbox')).toBe(LANES);
    expect(asked('acme/calendar')).toBeGreaterThan(2);
  });

  it('for a minute, as one call hears, and for less, as another does, is for a minute', async () => {
    const { checks, asked, pausedAt, busyFor, pass } = suspected(['acme/mailbox', 'acme/mailbox']);
    busyFor(60_000, SHORT_MS);
    await checks.checkSuspected();
    expect(asked('acme/mailbox')).toBe(2);
    pass(2 * SHORT_MS);
    await checks.checkSuspected();
    expect(pausedAt()).toEqual(['acme/mailbox']);
    expect(asked('acme/mailbox')).toBe(2);
    pass(60_000);
    await checks.checkSuspected();
    expect(pausedAt()).toEqual([]);
    expect(asked('acme/mailbox')).toBeGreaterThan(2);
  });
});

describe('a refresh that is to prove an end', () => {
  it('may hear that its account is limited, and the other connections are asked about', async () => {
    const { checks, asked, pausedAt } = suspected(['acme/calendar', 'acme/calendar'], async () => {
      throw providerUnavailable(busyFor(3_600_000), 'Ask again.');
    });
    await checks.checkSuspected();
    await checks.checkSuspected();
    expect(pausedAt()).toEqual([]);
    expect(asked('acme/calendar')).toBe(4);
  });
});

describe('a database that is away', () => {
  it('is no reason to leave a turn before its end', async () => {
    const { checks, asked, warned, takeUnanswered } = suspected([
      ...Array.from({ length: 50 }, () => 'acme/mailbox' as const),
      ...Array.from({ length: 50 }, () => 'acme/calendar' as const),
    ]);
    takeUnanswered(LANES);
    await checks.checkSuspected();
    expect(asked('acme/calendar')).toBe(50);
    expect(warned()).toMatchObject([{ client: 'acme/mailbox', connections: 50 }]);
  });
});

describe('a stop', () => {
  it('gives back the connections that are not asked about yet', async () => {
    const { checks, asked, givenBack } = suspected(
      Array.from({ length: 50 }, () => 'acme/calendar' as const),
    );
    const turn = checks.checkSuspected();
    checks.stop();
    await turn;
    expect(asked('acme/calendar')).toBeLessThanOrEqual(LANES);
    expect(asked('acme/calendar') + givenBack()).toBe(50);
  });
});

const busyFor = (retryAfterMs: number) =>
  new ProviderError({ failure: 'unavailable', reason: 'http_429', sent: true, retryAfterMs });

/**
 * Creates a checker of connections that are suspected until confirmed. Mailbox is busy for a minute, calendar answers.
 */
function suspected(of: readonly ClientName[], answerOfCalendar = async () => {}) {
  const asked: ClientName[] = [];
  const warned: object[] = [];
  let unanswered = 0;
  let givenBack = 0;
  let unansweredMax = Infinity;
  let pausedAt: readonly ClientName[] = [];
  let rests: number[] = [];
  let passedMs = 0;
  const due = (name: ClientName): DueCheck => ({
    ...clientNamed(name),
    connectionId: 'con_1',
    userId: 'ada',
    credentialVersion: 1,
    suspected: true,
    dueSince: new Date(),
    wasUnanswered: false,
    answerLost: false,
    open: async () => 'rt',
  });
  const ask: AskProvider = async (connection) => {
    const name = clientName(connection);
    asked.push(name);
    if (name === 'acme/mailbox') throw busyFor(rests.shift() ?? 60_000);
    await answerOfCalendar();
  };
  const introspectionsPerS = 1_000;
  const checks = checker(
    {
      providers: new Map([
        ['acme/mailbox', { introspectionsPerS }],
        ['acme/calendar', { introspectionsPerS }],
      ]),
      checks: {
        lead: async (names) => new Set(names),
        claimDue: async (name) => [due(name)],
        async claimSuspected(resting) {
          pausedAt = resting;
          return of.filter((name) => !resting.includes(name)).map(due);
        },
        async leaveUnanswered() {
          if (unanswered >= unansweredMax) throw new Error('The database is away.');
          unanswered += 1;
        },
        giveBack: async (checks) => void (givenBack += checks.length),
        confirm: async () => undefined,
        answered: async () => undefined,
      },
      log: { warn: (fields) => void warned.push(fields) },
      now: () => new Date(),
      monotonicMs: () => performance.now() + passedMs,
    },
    ask,
  );
  return {
    checks,
    asked: (name: ClientName) => asked.filter((one) => one === name).length,
    unanswered: () => unanswered,
    givenBack: () => givenBack,
    warned: () => warned,
    /** Makes the database take so many unanswered checks, and fail afterwards. */
    takeUnanswered: (max: number) => void (unansweredMax = max),
    pausedAt: () => pausedAt,
    /** Lets time go by. */
    pass: (ms: number) => void (passedMs += ms),
    /** Sets the rests with which the provider answers the next calls about mailboxes. */
    busyFor: (...restsMs: number[]) => void (rests = restsMs),
  };
}
