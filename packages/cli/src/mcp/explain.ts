import type { AssistantEvent, DeliveryDetail } from '../api/answers.js';
import { attemptText } from '../commands/developers/delivery-text.js';

/** Explains in sentences what happened to an event: why it did not match a webhook, and how each delivery went. */
export function explanation(
  event: AssistantEvent | undefined,
  deliveries: readonly DeliveryDetail[],
): readonly string[] {
  const told = [
    ...(event?.webhooks ?? [])
      .filter(({ matched }) => !matched)
      .map(({ webhook_id: id, verdict, detail }) => `${id} did not get it (${verdict}): ${detail}`),
    ...deliveries.map(deliveryWords),
  ];
  if (told.length > 0) return told;
  return ['Its user had no webhook when it came, so there was nobody to send it to.'];
}

function deliveryWords(delivery: DeliveryDetail): string {
  const { delivery_id: id, webhook_id: webhookId, status, reason, attempts } = delivery;
  const last = attempts.at(-1);
  return [
    `${id} to ${webhookId} is ${status}${reason === null ? '' : ` (${reason})`}`,
    attempts.length === 0
      ? 'nothing was sent yet'
      : `after ${attempts.length === 1 ? 'one attempt' : `${attempts.length} attempts`}`,
    ...(last ? [`the last: ${attemptText(last)}`] : []),
    ...(delivery.next_attempt_at ? [`it is tried again at ${delivery.next_attempt_at}`] : []),
    ...(status === 'held' ? ['it is sent when the webhook is enabled and replayed'] : []),
  ].join('; ');
}
