import { expect } from '@jest/globals';
import * as fc from 'fast-check';
import type { Job, Secret } from '../src/application/job.js';
import { offerAgain, offerAhead } from './dispatch-ahead.js';
import type { Answers } from './dispatch-replica.js';
import { attemptNow, change, newWebhook, pass, type System } from './dispatch-system.js';
import type { WebhookChange, WebhookState } from './dispatch-table.js';

const SECOND = 1_000;
/** Milliseconds until a transaction is known to be committed. */
const COMMITTED_MS = 15;
/**
 * Milliseconds until the webhook is loaded, and the event is answered if it is at all: so the webhook is known to
 * answer.
 */
const ANSWERED_MS = 100;
const OVERLAP_MS = 10 * SECOND;
const WEBHOOKS_MAX = 8;
/** Body of all deliveries: so large that webhooks without a 2xx soon use up the credit of their host. */
const BODY = Buffer.alloc(64 * 1_024);

/**
 * State that says what must hold at the end: every delivery has ended, and only deliveries that had to be held are
 * held.
 */
export interface Model {
  /** The webhook of each delivery. */
  readonly filed: Map<string, string>;
  /** Webhooks that ever were disabled, deleted, or given a schedule of their own. */
  readonly disabled: Set<string>;
  readonly deleted: Set<string>;
  readonly rescheduled: Set<string>;
  /** Number of webhooks that were added to those of the start. */
  configured: number;
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

/** Number of one of the webhooks that exist when the command runs. */
const which = fc.nat({ max: WEBHOOKS_MAX - 1 });
const place = fc.constantFrom(0, 1);

/** Does something to a webhook; nothing where there is none. */
const toOne = (
  number: number,
  what: string,
  act: (webhook: WebhookState, system: System, model: Model) => Promise<void> | void,
): Command =>
  command(`webhook ${number} ${what}`, async (system, model) => {
    const live = system.table.live();
    const webhook = live[number % live.length];
    if (webhook) await act(webhook, system, model);
  });

const STATUSES = ['active', 'active', 'paused', 'disabled'] as const;
const CUTS = ['failing', 'silent'] as const;
const ANSWERS: readonly Answers[] = [
  'well',
  'well',
  'well, but late',
  'badly',
  'that it is unknown',
  'that it is busy',
  'that it is gone',
  'never',
];

const takingIn = fc
  .tuple(which, place, fc.integer({ min: 1, max: 30 }), fc.boolean())
  .map(([number, at, events, isSeen]) =>
    toOne(
      number,
      `has ${events} events through ${at}${isSeen ? '' : ', which forgets'}`,
      (to, ...rest) => takeIn(to, { at, events, isSeen }, ...rest),
    ),
  );

const sendingAhead = fc
  .tuple(which, place, fc.integer({ min: 1, max: 30 }))
  .map(([number, at, events]) =>
    toOne(
      number,
      `has ${events} events sent ahead through ${at}, after one that is not`,
      async (to, system, model) => {
        takeIn(to, { at, events: 1, isSeen: true }, system, model);
        await pass(ANSWERED_MS);
        if (to.status === 'deleted') return;
        const jobs = newJobs(to, events, model.filed);
        const replica = system.replicas[at];
        if (replica) offerAhead(system, replica, jobs);
      },
    ),
  );

const passing = fc
  .integer({ min: 1, max: 20 * SECOND })
  .map((ms) => command(`${ms} ms pass`, async () => pass(ms)));

const answering = fc.tuple(which, fc.constantFrom(...ANSWERS)).map(([number, answer]) =>
  toOne(number, `answers ${answer}`, ({ webhookId }, { answers }, { disabled }) => {
    answers.set(webhookId, answer);
    if (answer === 'that it is gone') disabled.add(webhookId);
  }),
);

const changing = fc.tuple(which, place, fc.constantFrom(...STATUSES)).map(([number, at, status]) =>
  toOne(number, `becomes ${status} through ${at}`, ({ webhookId }, system, { disabled }) => {
    if (status === 'disabled') disabled.add(webhookId);
    change(system, at, webhookId, { status });
  }),
);

const rateLimit = fc.constantFrom(undefined, 2, 5);
const delaysMs = fc.constantFrom(undefined, [], [2 * SECOND], [SECOND / 2, SECOND, 3 * SECOND]);
const oneOption: fc.Arbitrary<WebhookChange> = fc.oneof(
  fc.record({ ordered: fc.boolean() }),
  fc.record({ rateLimit }),
  fc.record({ delaysMs }),
);

const adjusting = fc.tuple(which, place, oneOption).map(([number, at, options]) =>
  toOne(number, `has ${said(options)} through ${at}`, ({ webhookId }, system, { rescheduled }) => {
    if ('delaysMs' in options) rescheduled.add(webhookId);
    change(system, at, webhookId, options);
  }),
);

const moving = fc
  .tuple(which, place, fc.nat({ max: 2 }))
  .map(([number, at, page]) =>
    toOne(number, `moves to ${page} through ${at}`, ({ webhookId }, system) =>
      change(system, at, webhookId, { url: `https://receiver.example/${webhookId}/${page}` }),
    ),
  );

const retryingNow = fc
  .tuple(which, place)
  .map(([number, at]) =>
    toOne(number, `is retried now through ${at}`, ({ webhookId }, system) =>
      attemptNow(system, at, webhookId),
    ),
  );

const deleting = fc.tuple(which, place).map(([number, at]) =>
  toOne(number, `is deleted through ${at}`, ({ webhookId }, system, { deleted }) => {
    deleted.add(webhookId);
    change(system, at, webhookId, { status: 'deleted' });
  }),
);

const configuring = fc
  .record({ shard: place, ordered: fc.boolean(), rateLimit, delaysMs })
  .map((options) =>
    command(`a webhook is configured with ${said(options)}`, ({ table, rules }, model) => {
      if (table.live().length === WEBHOOKS_MAX) return;
      const webhook = newWebhook(`new ${model.configured++}`, options);
      if (options.delaysMs) model.rescheduled.add(webhook.webhookId);
      table.add(webhook);
      rules.changed(webhook, undefined);
    }),
  );

const rotating = fc
  .tuple(which, place)
  .map(([number, at]) =>
    toOne(number, `has its secret rotated through ${at}`, (webhook, system) =>
      rotate(system, at, webhook),
    ),
  );

const ending = fc.tuple(place, fc.boolean()).map(([at, isKilled]) =>
  command(`${at} is ${isKilled ? 'killed' : 'stopped'} and replaced`, async (system) => {
    const before = system.replicas[at];
    if (isKilled) before?.kill();
    await system.replace(at);
    const other = system.replicas[1 - at];
    if (isKilled && before && other) offerAgain(system, before, other);
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
  [takingIn, 6],
  [sendingAhead, 6],
  [passing, 4],
  [answering, 3],
  [changing, 2],
  [adjusting, 2],
  [rotating, 1],
  [moving, 1],
  [retryingNow, 1],
  [configuring, 1],
  [deleting, 1],
  [ending, 1],
  [cutting, 1],
];

/** Commands that can happen, each as often as HOW_OFTEN says. */
export const COMMANDS = HOW_OFTEN.flatMap(([one, times]) =>
  Array.from({ length: times }, () => one),
);

interface Intake {
  readonly at: number;
  readonly events: number;
  /** The dispatcher there has the jobs in hand, and they need not be found in the table. */
  readonly isSeen: boolean;
}

function takeIn(
  to: WebhookState,
  { at, events, isSeen }: Intake,
  { table, replicas }: System,
  { filed }: Model,
): void {
  const jobs = newJobs(to, events, filed);
  for (const job of jobs) table.file(job);
  if (!isSeen || to.status === 'disabled') return;
  const replica = replicas[at];
  setTimeout(() => replica?.dispatch.accept(jobs), COMMITTED_MS);
}

function newJobs(to: WebhookState, events: number, filed: Model['filed']): readonly Job[] {
  const { webhookId: id } = to;
  const jobs = Array.from({ length: events }, (_, n) => jobOf(to, `${id} ${filed.size + n}`));
  for (const job of jobs) filed.set(job.deliveryId, id);
  return jobs;
}

function rotate(system: System, at: number, { webhookId: id, secrets }: WebhookState): void {
  const [newest, ...older] = secrets;
  const version = (newest?.version ?? 0) + 1;
  const expiresAt = new Date(Date.now() + OVERLAP_MS);
  const before: Secret[] = newest ? [{ ...newest, expiresAt }, ...older] : [];
  change(system, at, id, { secrets: [{ version, text: `${id} ${version}` }, ...before] });
}

const said = (options: object): string => JSON.stringify(options).replaceAll('"', '');

export const jobOf = (
  { webhookId: id, version, shard }: WebhookState,
  deliveryId: string,
): Job => ({
  deliveryId,
  day: '2030-01-01',
  messageId: deliveryId,
  webhookId: id,
  webhookVersion: version,
  userId: 'u',
  kind: 'draft.created',
  shard,
  attempt: 1,
  unscheduled: 0,
  body: BODY,
});
