import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryDetail } from '../../api/answers.js';
import type { AskingApi } from '../../asking-api.js';
import { Failure } from '../../failure.js';
import { attemptText } from './delivery-text.js';
import { deliveryPath } from './find-deliveries.js';

/** A receiver has fifteen seconds to answer, and a webhook that rests may take longer. */
const WAIT_MS = 20_000;
const LOOK_AGAIN_MS = 200;

/** Waits for the first attempt of a delivery, and shows it. Failure when it did not get through. */
export async function showOutcome(
  { api, show, signal, output }: AskingApi,
  webhookId: string,
  deliveryId: string,
): Promise<void> {
  output.note(`${deliveryId} is on its way to ${webhookId} …`);
  const look = async () => api.call<DeliveryDetail>('GET', deliveryPath(webhookId, deliveryId));
  const endMs = Date.now() + WAIT_MS;
  let delivery = await look();
  while (delivery.attempts.length === 0 && Date.now() < endMs && !signal.aborted) {
    await sleep(LOOK_AGAIN_MS);
    delivery = await look();
  }
  const attempt = delivery.attempts.at(-1);
  show(delivery, ({ status }) =>
    attempt ? `${attemptText(attempt)}\n` : `It waits: ${status}.\n`,
  );
  if (attempt && attempt.result !== 'succeeded') {
    throw new Failure(`It did not get through. junction deliveries show ${deliveryId} says more.`);
  }
}
