import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { COMMANDS, jobOf, type Model } from './dispatch-commands.js';
import {
  ATTEMPTS_MAX,
  attemptNow,
  change,
  newWebhook,
  pass,
  type System,
  startSystem,
} from './dispatch-system.js';

const SECOND = 1_000;
/** Milliseconds after which everything that waits has been sent, whatever happened before. */
const DONE_WITHIN_MS = 1_000 * SECOND;
const RUNS = 40;
const COMMANDS_MAX = 60;

/** Makes the webhooks that exist from the start. */
const webhooks = () => [
  newWebhook('plain', {}),
  newWebhook('other', { shard: 1 }),
  newWebhook('ordered', { shard: 1, ordered: true }),
  newWebhook('limited', { rateLimit: 5 }),
  newWebhook('narrow', { shard: 1, ordered: true, rateLimit: 2 }),
];

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => void jest.useRealTimers());

describe('two dispatchers on one table, whatever happens around them', () => {
  it('lose nothing and break no rule', async () => {
    let ahead = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.commands(COMMANDS, { maxCommands: COMMANDS_MAX, size: 'max' }),
        async (commands) => {
          const system = await startSystem(webhooks());
          const model = newModel();
          try {
            await fc.asyncModelRun(() => ({ model, real: system }), commands);
            await heal(system);
            expect(waitingIn(system)).toEqual([]);
            expectEnds(system, model);
            ahead += system.rules.ahead;
          } finally {
            system.end();
          }
        },
      ),
      // No time limit: a run that is interrupted would go on after the test.
      { numRuns: RUNS },
    );
    // Otherwise the rules for what is sent ahead were not put to the test.
    expect(ahead).toBeGreaterThan(0);
  });
});

describe('an ordered webhook whose oldest delivery waits for an hour', () => {
  const CHANGES: readonly [string, (system: System, at: number) => void][] = [
    ['is retried now', (system, at) => attemptNow(system, at, 'ordered')],
    ['gets another url', (system, at) => change(system, at, 'ordered', { url: 'https://new' })],
    ['has another option', (system, at) => change(system, at, 'ordered', { rateLimit: 50 })],
    ['is ordered no more', (system, at) => change(system, at, 'ordered', { ordered: false })],
    [
      'is paused and resumed',
      (system, at) => {
        change(system, at, 'ordered', { status: 'paused' });
        change(system, at, 'ordered', { status: 'active' });
      },
    ],
  ];
  const cases = CHANGES.flatMap(([what, act]) => [0, 1].map((at) => [what, at, act] as const));

  it.each(cases)(
    'sends what waits within a second when it %s, through replica %i',
    async (...one) => {
      const [, at, act] = one;
      const system = await startSystem([
        newWebhook('ordered', { ordered: true, delaysMs: [3_600 * SECOND] }),
      ]);
      const { table, answers } = system;
      try {
        answers.set('ordered', 'badly');
        const jobs = ['first', 'second', 'third'].map((id) => jobOf(table.webhook('ordered'), id));
        for (const job of jobs) table.file(job);
        await pass(5 * SECOND);
        expect(table.waiting().map(({ attempt }) => attempt)).toEqual([2, 1, 1]);

        answers.set('ordered', 'well');
        act(system, at);
        await pass(1_100);
        const waiting = table.waiting().map(({ job }) => job.deliveryId);
        // Without its order, one that failed waits for its time alone.
        expect(waiting).toEqual(table.webhook('ordered').ordered ? [] : ['first']);
        expect(system.rules.broken).toEqual([]);
      } finally {
        system.end();
      }
    },
  );
});

describe('a host that thirty webhooks lead to', () => {
  it('gets little until it answers 2xx, and all that waits soon after', async () => {
    const others = Array.from({ length: 30 }, (_, n) => newWebhook(`w${n}`, { shard: n % 2 }));
    const elsewhere = newWebhook('elsewhere', { url: 'https://other.example' });
    const system = await startSystem([...others, elsewhere]);
    const { table, answers, rules } = system;
    try {
      for (const { webhookId } of others) answers.set(webhookId, 'that it is unknown');
      const filed = [...others, ...others, elsewhere].map((to, n) => jobOf(to, `${n}`));
      for (const job of filed) table.file(job);
      await pass(3 * SECOND);
      const triedOf = (webhookId: string) =>
        table.waiting().filter(({ job, attempt }) => job.webhookId === webhookId && attempt > 1);
      expect(others.filter(({ webhookId }) => triedOf(webhookId).length === 0)).not.toEqual([]);
      expect(table.waiting().some(({ job }) => job.webhookId === 'elsewhere')).toBe(false);

      for (const { webhookId } of others) answers.set(webhookId, 'well');
      await pass(8 * SECOND);
      expect(waitingIn(system)).toEqual([]);
      expect(rules.broken).toEqual([]);
    } finally {
      system.end();
    }
  });
});

const newModel = (): Model => ({
  filed: new Map(),
  disabled: new Set(),
  deleted: new Set(),
  rescheduled: new Set(),
  configured: 0,
});

/** Lets everything go well from now on, until nothing waits any more. */
async function heal(system: System): Promise<void> {
  const { table, answers } = system;
  for (const { webhookId: id, status } of table.live()) {
    answers.set(id, 'well');
    if (status === 'paused') change(system, 0, id, { status: 'active' });
  }
  const endMs = Date.now() + DONE_WITHIN_MS;
  while (table.waiting().length + table.log.size > 0 && Date.now() < endMs) await pass(SECOND);
}

const waitingIn = ({ table }: System) => [
  ...table.log.keys(),
  ...table.waiting().map(({ job }) => job.deliveryId),
];

function expectEnds(
  { table, rules }: System,
  { filed, disabled, deleted, rescheduled }: Model,
): void {
  expect(rules.broken).toEqual([]);
  expect([...table.rows.keys()].toSorted()).toEqual([...filed.keys()].toSorted());
  for (const { job, attempt, end } of table.rows.values()) {
    const { deliveryId, webhookId: id } = job;
    if (end === 'succeeded') expect(rules.accepted).toContain(deliveryId);
    if (end === 'held') expect(disabled).toContain(id);
    if (end === 'cancelled') expect(deleted).toContain(id);
    const isByRule = !disabled.has(id) && !rescheduled.has(id);
    if (end === 'exhausted' && isByRule) expect(attempt).toBe(ATTEMPTS_MAX);
  }
}
