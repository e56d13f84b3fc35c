import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import type { Job, Secret } from '../src/application/dispatch/job.js';
import { type Answers, type Replica, startReplica } from './dispatch-replica.js';
import { DispatchRules } from './dispatch-rules.js';
import { DispatchTable, type WebhookState } from './dispatch-table.js';

const SECOND = 1_000;
const DELAYS_MS = [SECOND, 4 * SECOND];
const ATTEMPTS_MAX = DELAYS_MS.length + 1;
/** How long it takes to hear that a transaction is committed. */
const COMMITTED_MS = 15;
const OVERLAP_MS = 10 * SECOND;
/** By then everything that waits has been sent, whatever happened before. */
const DONE_WITHIN_MS = 300 * SECOND;
const RUNS = 40;
const COMMANDS_MAX = 60;

const PLAIN = webhook('plain', 0);
const WEBHOOKS: readonly WebhookState[] = [
  PLAIN,
  { ...webhook('ordered', 1), ordered: true },
  { ...webhook('limited', 0), rateLimit: 5 },
  { ...webhook('narrow', 1), ordered: true, rateLimit: 2 },
];

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => void jest.useRealTimers());

describe('two dispatchers on one table, whatever happens around them', () => {
  it('lose nothing and break no rule', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands(COMMANDS, { maxCommands: COMMANDS_MAX, size: 'max' }),
        async (commands) => {
          const system = await start();
          const model = { filed: new Map<string, string>(), disabled: new Set<string>() };
          await fc.asyncModelRun(() => ({ model, real: system }), commands);
          await heal(system);
          expect(waitingIn(system)).toEqual([]);
          expectEnds(system, model);
        },
      ),
      { numRuns: RUNS, interruptAfterTimeLimit: 30 * SECOND },
    );
  });
});

/** What must be true at the end: every delivery has its end, and only those may be held that had to be. */
interface Model {
  /** The webhook of each delivery. */
  readonly filed: Map<string, string>;
  /** Webhooks that ever were disabled. */
  readonly disabled: Set<string>;
}

interface System {
  readonly table: DispatchTable;
  readonly rules: DispatchRules;
  readonly answers: Map<string, Answers>;
  readonly replicas: Replica[];
  /** Starts one in the place of another. */
  readonly replace: (index: number) => Promise<void>;
}

type Command = fc.AsyncCommand<Model, System>;

const command = (
  name: string,
  act: (system: System, model: Model) => Promise<void> | void,
): Command => ({
  check: () => true,
  async run(model, system) {
    await act(system, model);
    await pass(0);
    expect(system.rules.broken).toEqual([]);
  },
  toString: () => name,
});

const webhookId = fc.constantFrom(...WEBHOOKS.map(({ webhookId: id }) => id));
const place = fc.constantFrom(0, 1);
const STATUSES = ['active', 'active', 'paused', 'disabled'] as const;
const CUTS = ['failing', 'silent'] as const;
const ANSWERS: readonly Answers[] = [
  'well',
  'well',
  'badly',
  'that it is unknown',
  'that it is busy',
  'that it is gone',
  'never',
];

const takingIn = fc
  .tuple(webhookId, place, fc.integer({ min: 1, max: 30 }), fc.boolean())
  .map(([id, at, events, isSeen]) =>
    command(`${at} takes in ${events} for ${id}${isSeen ? '' : ', and forgets'}`, (system, model) =>
      takeIn(system, model, { id, at, events, isSeen }),
    ),
  );

const passing = fc
  .integer({ min: 1, max: 20 * SECOND })
  .map((ms) => command(`${ms} ms pass`, async () => pass(ms)));

const answering = fc.tuple(webhookId, fc.constantFrom(...ANSWERS)).map(([id, answer]) =>
  command(`${id} answers ${answer}`, ({ answers }, { disabled }) => {
    answers.set(id, answer);
    if (answer === 'that it is gone') disabled.add(id);
  }),
);

const changing = fc.tuple(webhookId, place, fc.constantFrom(...STATUSES)).map(([id, at, status]) =>
  command(`${id} becomes ${status} through ${at}`, (system, { disabled }) => {
    if (status === 'disabled') disabled.add(id);
    change(system, at, id, { status });
  }),
);

const rotating = fc
  .tuple(webhookId, place)
  .map(([id, at]) =>
    command(`the secret of ${id} is rotated through ${at}`, (system) => rotate(system, at, id)),
  );

const ending = fc.tuple(place, fc.boolean()).map(([at, isKilled]) =>
  command(`${at} is ${isKilled ? 'killed' : 'stopped'} and replaced`, async (system) => {
    const before = system.replicas[at];
    if (isKilled) before?.kill();
    await system.replace(at);
    // Without its database it cannot give its leases back: they run out.
    if (!isKilled) before?.dispatch.stop().catch(() => undefined);
  }),
);

const cutting = fc
  .tuple(place, fc.constantFrom(...CUTS), fc.integer({ min: 1, max: 15 }))
  .map(([at, how, s]) =>
    command(`the database of ${at} is ${how} for ${s} s`, ({ replicas }) =>
      replicas[at]?.cutOff(how, Date.now() + s * SECOND),
    ),
  );

const HOW_OFTEN: readonly (readonly [fc.Arbitrary<Command>, number])[] = [
  [takingIn, 4],
  [passing, 3],
  [answering, 2],
  [changing, 2],
  [rotating, 1],
  [ending, 1],
  [cutting, 1],
];
const COMMANDS = HOW_OFTEN.flatMap(([one, times]) => Array.from({ length: times }, () => one));

interface Intake {
  readonly id: string;
  readonly at: number;
  readonly events: number;
  /** The dispatcher there has the jobs in hand, and they need not be found in the table. */
  readonly isSeen: boolean;
}

function takeIn(
  { table, replicas }: System,
  { filed }: Model,
  { id, at, events, isSeen }: Intake,
): void {
  const to = table.webhook(id);
  const jobs = Array.from({ length: events }, (_, n) => jobOf(to, `${id} ${filed.size + n}`));
  for (const job of jobs) {
    table.file(job);
    filed.set(job.deliveryId, id);
  }
  if (!isSeen || to.status === 'disabled') return;
  const replica = replicas[at];
  setTimeout(() => replica?.dispatch.accept(jobs), COMMITTED_MS);
}

function change(
  { table, rules, replicas }: System,
  at: number,
  id: string,
  to: Partial<WebhookState>,
): void {
  const changed = table.webhook(id);
  table.change(changed, to);
  rules.changed(changed, replicas[at]);
  replicas[at]?.dispatch.webhookChanged(id);
}

function rotate(system: System, at: number, id: string): void {
  const { secrets } = system.table.webhook(id);
  const [newest, ...older] = secrets;
  const version = (newest?.version ?? 0) + 1;
  const expiresAt = new Date(Date.now() + OVERLAP_MS);
  const before: Secret[] = newest ? [{ ...newest, expiresAt }, ...older] : [];
  change(system, at, id, { secrets: [{ version, text: `${id} ${version}` }, ...before] });
}

async function start(): Promise<System> {
  const table = new DispatchTable(WEBHOOKS.map((one) => ({ ...one })));
  const rules = new DispatchRules(table, DELAYS_MS);
  const answers = new Map<string, Answers>();
  const replicas: Replica[] = [];
  let started = 0;
  let chances = 0;
  const replace = async (index: number) => {
    replicas[index] = await startReplica(`replica ${++started}`, {
      table,
      rules,
      delaysMs: DELAYS_MS,
      answersOf: (id) => answers.get(id) ?? 'well',
      // Not random: a run is to be the same again by its seed.
      chance: () => (chances++ % 10) / 10,
      tellOthers(from) {
        for (const one of replicas) if (one.owner !== from.owner) one.dispatch.wake();
      },
    });
  };
  await replace(0);
  await replace(1);
  return { table, rules, answers, replicas, replace };
}

/** Lets everything go well from now on, until nothing waits any more. */
async function heal(system: System): Promise<void> {
  const { table, answers, replicas } = system;
  for (const { webhookId: id } of WEBHOOKS) {
    answers.set(id, 'well');
    if (table.webhook(id).status === 'paused') change(system, 0, id, { status: 'active' });
  }
  const endMs = Date.now() + DONE_WITHIN_MS;
  while (table.waiting().length > 0 && Date.now() < endMs) await pass(SECOND);
  for (const { kill } of replicas) kill();
  jest.clearAllTimers();
}

const waitingIn = ({ table }: System) => table.waiting().map(({ job }) => job.deliveryId);

function expectEnds({ table, rules }: System, { filed, disabled }: Model): void {
  expect(rules.broken).toEqual([]);
  expect([...table.rows.keys()]).toEqual([...filed.keys()]);
  for (const { job, attempt, end } of table.rows.values()) {
    const { deliveryId, webhookId: id } = job;
    if (end === 'succeeded') expect(rules.accepted).toContain(deliveryId);
    if (end === 'held') expect(disabled).toContain(id);
    if (end === 'exhausted' && !disabled.has(id)) expect(attempt).toBe(ATTEMPTS_MAX);
  }
}

/** Lets time pass, and everything happen that this brings about. */
async function pass(ms: number): Promise<void> {
  let isOver = false;
  setTimeout(() => void (isOver = true), ms);
  do {
    await new Promise((resolve) => setImmediate(resolve));
    jest.advanceTimersToNextTimer();
  } while (!isOver);
  await new Promise((resolve) => setImmediate(resolve));
}

function webhook(webhookId: string, shard: number): WebhookState {
  const secrets = [{ version: 1, text: `${webhookId} 1` }];
  return {
    webhookId,
    shard,
    ordered: false,
    version: 1,
    status: 'active',
    secrets,
    rest: undefined,
  };
}

const jobOf = ({ webhookId: id, version, shard }: WebhookState, deliveryId: string): Job => ({
  deliveryId,
  day: '2030-01-01',
  messageId: deliveryId,
  webhookId: id,
  webhookVersion: version,
  userId: 'u',
  kind: 'draft.created',
  shard,
  attempt: 1,
  body: Buffer.from('{}'),
});
