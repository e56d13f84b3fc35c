import { AppError } from '@junction/errors';
import { requireSendable } from '../find-webhook.js';
import type { Ports } from '../ports.js';
import type { ReplayCount, ReplayOperation, ReplaySpan } from './ports.js';

interface BeginPorts extends Pick<Ports, 'newOperationId' | 'replayBegun'> {
  readonly webhooks: Pick<Ports['webhooks'], 'byId'>;
  readonly replays: Pick<Ports['replays'], 'begin'>;
}

/** Counts how much a replay would send. */
export const countReplay =
  (ports: Pick<Ports, 'webhooks' | 'replays'>) =>
  async (userId: string, webhookId: string, span: ReplaySpan): Promise<ReplayCount> => {
    await requireSendable(ports, userId, webhookId);
    return ports.replays.count(webhookId, span);
  };

/**
 * Starts a replay in the background, where it is counted too. @throws AppError `replay_under_way` while another of the
 * webhook runs
 */
export const beginReplay =
  (ports: BeginPorts) =>
  async (userId: string, webhookId: string, span: ReplaySpan): Promise<ReplayOperation> => {
    await requireSendable(ports, userId, webhookId);
    const about = { userId, webhookId };
    const operation = await ports.replays.begin(ports.newOperationId(), about, span);
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

/** Ends a replay. Deliveries that were sent stay sent, and a repeated call does no harm. */
export const cancelReplay =
  ({ replays }: Pick<Ports, 'replays'>) =>
  async (userId: string, operationId: string): Promise<void> => {
    if (!(await replays.cancel(userId, operationId))) throw operationNotFound();
  };

const operationNotFound = () => new AppError('operation_not_found', 'There is no such operation.');
