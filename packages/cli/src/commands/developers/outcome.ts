import { setTimeout as sleep } from 'node:timers/promises';
import type { JunctionClient } from '@junction/client';
import type { DeliveryDetail } from '../../api/answers.js';
import type { ApiContext } from '../../api-command.js';
import { Failure } from '../../failure.js';
import { attemptText } from './delivery-text.js';
import { deliveryOf } from './find-deliveries.js';

/** A receiver has fifteen seconds to answer, and a webhook that rests may take longer. */
const WAIT_MS = 20_000;
const LOOK_AGAIN_MS = 200;

/** A delivery that is on its way. */
export interface Sent {
  readonly webhookId: string;
  readonly deliveryId: string;
  /** Attempts that were made before. */
  readonly before: number;
}

/** Sends a delivery again: as a new one, or at once where it still waits for its next attempt. */
export async function resend(api: JunctionClient, deliveryId: string): Promise<Sent> {
  const { webhook_id: webhookId, attempts } = await deliveryOf(api, deliveryId);
  const again = await api.post('/api/webhooks/{id}/deliveries/{deliveryId}/redeliver', {
    params: { path: { id: webhookId, deliveryId } },
  });
  const isSame = again.delivery_id === deliveryId;
  return { webhookId, deliveryId: again.delivery_id, before: isSame ? attempts.length : 0 };
}

/** The delivery with its next attempt; without one when that takes long. */
export async function attempted(
  api: JunctionClient,
  { deliveryId, before }: Omit<Sent, 'webhookId'>,
  signal?: AbortSignal,
): Promise<DeliveryDetail> {
  const endMs = Date.now() + WAIT_MS;
  const params = { path: { deliveryId } };
  for (;;) {
    const delivery = await api.get('/api/deliveries/{deliveryId}', { params });
    const isOver = Date.now() >= endMs || signal?.aborted === true;
    if (delivery.attempts.length > before || isOver) return delivery;
    await sleep(LOOK_AGAIN_MS);
  }
}

/** Waits for the attempt, and shows it. Failure when it did not get through. */
export async function showOutcome(context: ApiContext, sent: Sent): Promise<void> {
  const { api, show, signal, output } = context;
  const { webhookId, deliveryId } = sent;
  output.note(`${deliveryId} is on its way to ${webhookId} …`);
  const delivery = await attempted(api, sent, signal);
  const attempt = delivery.attempts.slice(sent.before).at(-1);
  show(delivery, ({ status }) =>
    attempt ? `${attemptText(attempt)}\n` : `It waits: ${status}.\n`,
  );
  if (attempt && attempt.result !== 'succeeded') {
    throw new Failure(`It did not get through. junction deliveries show ${deliveryId} says more.`);
  }
}
