import { AppError } from '@junction/errors';
import type { WebhookRow } from '../projections/webhook-row.js';
import type { EventDetail, EventSummary, SeenEventFilter } from './event-log.js';
import type { Page } from './page.js';
import type { ReplayCount, ReplayOperation, ReplaySpan } from './replay.js';
import type { WebhookHour } from './statistics.js';

/** What an owner may look back at and have sent again, whichever door the request came through. */
export interface History {
  /** Sends a delivery again. Gives the id of the new one. */
  redeliver(userId: string, webhookId: string, deliveryId: string): Promise<string>;
  /** How much a replay would send. */
  countReplay(userId: string, webhookId: string, span: ReplaySpan): Promise<ReplayCount>;
  replay(userId: string, webhookId: string, span: ReplaySpan): Promise<ReplayOperation>;
  operation(userId: string, operationId: string): Promise<ReplayOperation>;
  /** What was sent stays sent. Again does no harm. */
  cancel(userId: string, operationId: string): Promise<void>;
  /** Sends an example of this kind to one webhook. */
  test(userId: string, webhookId: string, kind: string): Promise<SentTest>;
  /** Removes the payload of a delivery. Again does no harm. */
  expunge(userId: string, webhookId: string, deliveryId: string): Promise<void>;
  /**
   * Has the payloads removed of all deliveries that the user has by now, in the background, and gives
   * the moment that counts. Asking again moves it on.
   */
  expungeAll(userId: string): Promise<Date>;
  statistics(userId: string, webhookId: string, span: TimeSpan): Promise<readonly WebhookHour[]>;
  events(userId: string, filter: SeenEventFilter): Promise<Page<EventSummary>>;
  event(userId: string, messageId: string): Promise<EventDetail>;
}

export interface TimeSpan {
  readonly from: Date;
  readonly to: Date;
}

/** dlv_… and msg_… */
export interface SentTest {
  readonly deliveryId: string;
  readonly messageId: string;
}

/** What it needs from the world. Adapters provide it. */
export interface HistoryNeeds {
  readonly webhook: (userId: string, webhookId: string) => Promise<WebhookRow | undefined>;
  /** Undefined: there is no such delivery. */
  readonly redeliver: (webhookId: string, deliveryId: string) => Promise<string | undefined>;
  readonly countReplay: (webhookId: string, span: ReplaySpan) => Promise<ReplayCount>;
  /** AppError `replay_under_way` while one of the webhook runs. */
  readonly requireNoReplay: (webhookId: string) => Promise<void>;
  readonly beginReplay: (
    operationId: string,
    about: { readonly userId: string; readonly webhookId: string },
    span: ReplaySpan,
    counted: ReplayCount,
  ) => Promise<ReplayOperation>;
  readonly findReplay: (
    userId: string,
    operationId: string,
  ) => Promise<ReplayOperation | undefined>;
  /** False: there is no such operation of this user. */
  readonly cancelReplay: (userId: string, operationId: string) => Promise<boolean>;
  readonly sendTest: (test: {
    readonly userId: string;
    readonly webhookId: string;
    readonly kind: string;
    readonly data: object;
  }) => Promise<SentTest>;
  /** An example of the data of this kind. */
  readonly exampleOf: (kind: string) => object;
  readonly expunge: (webhookId: string, deliveryId: string) => Promise<boolean>;
  readonly requestExpunge: (userId: string) => Promise<Date>;
  readonly hours: (webhookId: string, from: Date, to: Date) => Promise<readonly WebhookHour[]>;
  readonly events: (userId: string, filter: SeenEventFilter) => Promise<Page<EventSummary>>;
  readonly event: (userId: string, messageId: string) => Promise<EventDetail | undefined>;
  readonly newOperationId: () => string;
  /** There is a replay to move on. */
  readonly replayBegun: () => void;
}

export const createHistory = (needs: HistoryNeeds): History => ({
  async redeliver(userId, webhookId, deliveryId) {
    await sendable(needs, userId, webhookId);
    const again = await needs.redeliver(webhookId, deliveryId);
    if (again !== undefined) return again;
    throw deliveryNotFound();
  },

  async countReplay(userId, webhookId, span) {
    await sendable(needs, userId, webhookId);
    return needs.countReplay(webhookId, span);
  },

  async replay(userId, webhookId, span) {
    await sendable(needs, userId, webhookId);
    await needs.requireNoReplay(webhookId);
    const counted = await needs.countReplay(webhookId, span);
    const about = { userId, webhookId };
    const operation = await needs.beginReplay(needs.newOperationId(), about, span, counted);
    needs.replayBegun();
    return operation;
  },

  async operation(userId, operationId) {
    const operation = await needs.findReplay(userId, operationId);
    if (operation) return operation;
    throw operationNotFound();
  },

  async cancel(userId, operationId) {
    if (!(await needs.cancelReplay(userId, operationId))) throw operationNotFound();
  },

  async test(userId, webhookId, kind) {
    await sendable(needs, userId, webhookId);
    return needs.sendTest({ userId, webhookId, kind, data: needs.exampleOf(kind) });
  },

  async expunge(userId, webhookId, deliveryId) {
    await found(needs, userId, webhookId);
    if (!(await needs.expunge(webhookId, deliveryId))) throw deliveryNotFound();
  },

  expungeAll: async (userId) => needs.requestExpunge(userId),

  async statistics(userId, webhookId, { from, to }) {
    await found(needs, userId, webhookId);
    return needs.hours(webhookId, from, to);
  },

  events: async (userId, filter) => needs.events(userId, filter),

  async event(userId, messageId) {
    const event = await needs.event(userId, messageId);
    if (event) return event;
    throw eventNotFound();
  },
});

async function found({ webhook }: HistoryNeeds, userId: string, id: string): Promise<WebhookRow> {
  const row = await webhook(userId, id);
  if (row) return row;
  throw new AppError('not_found', 'webhook_not_found', 'There is no such webhook.');
}

/** What is sent to a disabled webhook would only be held again. */
async function sendable(needs: HistoryNeeds, userId: string, webhookId: string): Promise<void> {
  const { status } = await found(needs, userId, webhookId);
  if (status !== 'disabled') return;
  throw new AppError(
    'conflict',
    'webhook_disabled',
    'This webhook is disabled, so nothing is sent to it. Enable it first.',
  );
}

const deliveryNotFound = () =>
  new AppError('not_found', 'delivery_not_found', 'There is no such delivery.');

const operationNotFound = () =>
  new AppError('not_found', 'operation_not_found', 'There is no such operation.');

const eventNotFound = () =>
  new AppError(
    'not_found',
    'event_not_found',
    'There is no such event, or it came more than seven days ago.',
  );
