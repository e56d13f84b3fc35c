import { AppError } from '@junction/errors';
import { requireSendable } from '../find-webhook.js';
import type { Page, PageRequest } from '../page.js';
import type { Ports } from '../ports.js';
import type { WebhookReads } from '../webhooks/ports.js';
import type { ReplayCount, ReplayOperation, ReplaySpan, Replays } from './ports.js';

interface BeginPorts extends Pick<Ports, 'newOperationId' | 'replayBegun'> {
  readonly webhooks: Pick<WebhookReads, 'byId'>;
  readonly replays: Pick<Replays, 'requireNone' | 'count' | 'begin'>;
}

/** Counts how much a replay would send. */
export const countReplay =
  (ports: Pick<Ports, 'webhooks' | 'replays'>) =>
  async (userId: string, webhookId: string, span: ReplaySpan): Promise<ReplayCount> => {
    await requireSendable(ports, userId, webhookId);
    return ports.replays.count(webhookId, span);
  };

/** Starts a replay in the background. @throws AppError `replay_under_way` while another of the webhook runs */
export const beginReplay =
  (ports: BeginPorts) =>
  async (userId: string, webhookId: string, span: ReplaySpan): Promise<ReplayOperation> => {
    await requireSendable(ports, userId, webhookId);
    await ports.replays.requireNone(webhookId);
    const counted = await ports.replays.count(webhookId, span);
    const about = { userId, webhookId };
    const operation = await ports.replays.begin(ports.newOperationId(), about, span, counted);
    ports.replayBegun();
    return operation;
  };

/** Finds a replay of the user. @throws AppError `operation_not_found` */
export const findReplay =
  ({ replays }: Pick<Ports, 'replays'>) =>
  async (userId: string, operationId: string): Promise<ReplayOperation> => {
    const operation = await replays.find(userId, operationId);
    if (operation) return operation;
    throw operationNotFound();
  };

/** Returns the replays of the user, newest first; only those of one webhook, if one is named. */
export const listReplays =
  ({ replays }: Pick<Ports, 'replays'>) =>
  async (
    userId: string,
    webhookId: string | undefined,
    page: PageRequest,
  ): Promise<Page<ReplayOperation>> =>
    replays.page(userId, webhookId, page);

/** Ends a replay. Deliveries that were sent stay sent, and a repeated call does no harm. */
export const cancelReplay =
  ({ replays }: Pick<Ports, 'replays'>) =>
  async (userId: string, operationId: string): Promise<void> => {
    if (!(await replays.cancel(userId, operationId))) throw operationNotFound();
  };

const operationNotFound = () => new AppError('operation_not_found', 'There is no such operation.');
