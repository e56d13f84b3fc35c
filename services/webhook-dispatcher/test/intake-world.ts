import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { newId } from '@junction/contracts';
import {
  type Checked,
  type Claimed,
  type Intake,
  type Invalid,
  intake,
  type Prepared,
} from '../src/application/intake/intake.js';
import type {
  IncomingEvent,
  IntakeRows,
  MatchedWebhook,
  TakenEvent,
} from '../src/application/intake/ports.js';
import type { Job, Result } from '../src/application/job.js';
import type { Decided } from '../src/application/sending/scheduler/queue.js';
import type { DeliveryEvent } from '../src/domain/delivery/events.js';
import { ACCEPTED, TIMED_OUT } from './scheduled.js';

const USER = randomUUID();

export const eventOf = (parts: Partial<IncomingEvent> = {}): IncomingEvent => ({
  messageId: `msg_${randomUUID()}`,
  source: '/tests',
  id: randomUUID(),
  userId: USER,
  kind: 'draft.created',
  isOptIn: false,
  time: new Date(),
  data: Buffer.from('{}'),
  at: new Date(),
  ...parts,
});

export const webhook = (parts: Partial<MatchedWebhook> = {}): MatchedWebhook => ({
  webhookId: newId('wh'),
  events: ['draft.created'],
  status: 'active',
  version: 1,
  shard: 0,
  ...parts,
});

/** Returns a webhook to which nothing is sent early. */
export const unready = (): MatchedWebhook => webhook({ version: 0 });

export const valid = (event: IncomingEvent): Checked => ({ kind: 'valid', event });

/** Answer of the intake about a record, or the consequence. */
export type Answer = Claimed | Prepared;

const outcomeOf = (answer: Answer): Prepared | undefined =>
  answer.kind === 'claimed' ? answer.outcome : answer;

/** Returns the events that are taken in. */
export const takenOf = (answers: readonly Answer[]): readonly TakenEvent[] =>
  answers.flatMap((answer) => {
    const outcome = outcomeOf(answer);
    return outcome?.kind === 'taken' ? [outcome.event] : [];
  });

/**
 * An intake for a user with these webhooks, tables, and a dispatcher that takes early deliveries of ready webhooks. The
 * lists hold the webhooks of deliveries.
 */
export class IntakeWorld {
  readonly intake: Intake;
  /** Early deliveries that the dispatcher took. */
  readonly sent: string[] = [];
  readonly released: string[] = [];
  readonly stored: string[] = [];
  /** Results that were handed over with stored deliveries. */
  readonly results: string[] = [];
  readonly accepted: string[] = [];
  /** Successes that were reported after the commit. */
  readonly written: string[] = [];
  /** Messages that were reported after the commit. */
  readonly filed: string[] = [];
  /** Rows of each statement: their webhooks, with the result of an early attempt. */
  readonly statements: (readonly [string, string | undefined][])[] = [];
  /** Number of statements that wrote events. */
  records = 0;
  lookups = 0;
  /** Number of statements that counted repeats. */
  counts = 0;
  readonly repeats = new Map<string, number>();
  /** Messages that the table has when events are looked up. */
  readonly seen = new Set<string>();
  /** Messages that another replica files meanwhile. */
  readonly filedElsewhere = new Set<string>();
  /** Webhook whose early deliveries cannot be offered. */
  broken: string | undefined;
  /** Resolves when the dispatcher takes more. */
  ready = Promise.resolve();
  /** Webhook that answers while its early delivery is offered. */
  immediate: string | undefined;
  readonly #offers: { readonly job: Job; readonly decided: Decided }[] = [];
  readonly #webhooks: readonly MatchedWebhook[];

  constructor(...webhooks: readonly MatchedWebhook[]) {
    this.#webhooks = webhooks;
    this.intake = intake({
      dispatch: {
        offerAhead: (job, decided) => this.#offer(job, decided),
        stored: (jobs, results) => {
          this.stored.push(...jobs.map(webhookOf));
          this.results.push(...results.map(({ job }) => webhookOf(job)));
        },
        released: (jobs) => void this.released.push(...jobs.map(webhookOf)),
        ready: async () => this.ready,
        accept: (jobs) => void this.accepted.push(...jobs.map(webhookOf)),
      },
      written: (results) => void this.written.push(...results.map(({ job }) => webhookOf(job))),
      filed: (events) => void this.filed.push(...events.map(({ event }) => event.messageId)),
      after: (ms, call) => void setTimeout(call, ms).unref(),
    });
  }

  /** Prepares events until the turn of each has come. */
  async prepare(...events: readonly IncomingEvent[]) {
    const answers = await this.claim(...events.map(valid));
    while (!answers.every(outcomeOf)) await nextTurn();
    return answers;
  }

  async claim(...records: readonly Checked[]): Promise<readonly (Claimed | Invalid)[]> {
    return this.intake.prepare(this.#reads, records);
  }

  giveUp(answers: readonly (Claimed | Invalid)[]): void {
    for (const answer of answers) if (answer.kind === 'claimed') this.intake.giveUp(answer);
  }

  async take(...records: readonly (Checked | Prepared)[]) {
    return this.intake.take(this.#reads, records);
  }

  answer(index: number, as: 'succeeded' | 'failed' | 'removed' | 'late'): void {
    const { job, decided } = this.#offers[index] ?? {};
    if (job && decided) decided(as === 'removed' || as === 'late' ? as : resultOf(job, as));
  }

  /** Files what is prepared. Returns the function that commits it. */
  async begin(prepared: readonly Answer[]): Promise<() => void> {
    return this.intake.file(this.#rows, takenOf(prepared));
  }

  async file(prepared: readonly Answer[]): Promise<void> {
    const commit = await this.begin(prepared);
    commit();
  }

  #offer(job: Job, decided: Decided): boolean {
    if (job.webhookId === this.broken) throw new TypeError('It is broken.');
    if (job.webhookVersion === 0) return false;
    this.sent.push(webhookOf(job));
    this.#offers.push({ job, decided });
    if (job.webhookId === this.immediate) decided(resultOf(job, 'succeeded'));
    return true;
  }

  readonly #reads = {
    look: async (events: readonly IncomingEvent[]) => {
      this.lookups++;
      const webhooks = new Map(events.map(({ userId }) => [userId, this.#webhooks]));
      return { webhooks, known: this.seen };
    },
  };

  readonly #rows: IntakeRows = {
    record: async (_, deliveries) => {
      this.records++;
      this.statements.push(deliveries.map(({ job, sent }) => [webhookOf(job), sent?.result]));
      return this.filedElsewhere;
    },
    insertDeliveries: async (deliveries) =>
      void this.statements.push(deliveries.map(({ job, sent }) => [webhookOf(job), sent?.result])),
    countRepeats: async (counts) => {
      this.counts++;
      for (const [messageId, count] of counts) this.repeats.set(messageId, count);
    },
  };
}

const webhookOf = ({ webhookId }: Job): string => webhookId;

function resultOf(job: Job, as: 'succeeded' | 'failed'): Result {
  const record = as === 'succeeded' ? ACCEPTED : { ...ACCEPTED, ...TIMED_OUT };
  const fact: DeliveryEvent =
    as === 'succeeded'
      ? { type: 'delivery.succeeded', data: { attempt: 1 } }
      : {
          type: 'delivery.attempt_failed',
          data: { attempt: 1, reason: 'timeout', delayMs: 5_000 },
        };
  return { job, epoch: '1', at: new Date(), record, fact, version: 1, isOutdated: false };
}
