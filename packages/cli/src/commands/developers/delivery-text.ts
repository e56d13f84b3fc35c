import type { Attempt, Delivery, DeliveryDetail } from '../../api/answers.js';
import { fields, printable, table } from '../../output.js';

export function deliveriesTable(deliveries: readonly Delivery[]): string {
  const rows = deliveries.map((one) => [
    one.delivery_id,
    one.created_at,
    one.event_type,
    statusOf(one),
    one.attempt_count,
  ]);
  return table(['ID', 'CREATED', 'EVENT', 'STATUS', 'ATTEMPTS'], rows, 'There are no deliveries.');
}

/** Describes a delivery in full: the request, and the answer of each attempt. */
export function deliveryText(delivery: DeliveryDetail): string {
  const { attempts, request_body: body } = delivery;
  const head = fields({
    id: delivery.delivery_id,
    webhook: delivery.webhook_id,
    message: delivery.message_id,
    event: delivery.event_type,
    status: statusOf(delivery),
    created: delivery.created_at,
    'next attempt': delivery.next_attempt_at ?? undefined,
    ended: delivery.ended_at ?? undefined,
    repeats: delivery.redelivery_of ?? undefined,
    body: body ?? 'It is not here any more.',
  });
  const rows = attempts.map((one) => [
    one.attempt,
    one.at,
    one.response_status ?? '-',
    `${Math.round(one.timing.total_ms)} ms`,
    one.detail ?? one.result,
  ]);
  const tried = table(['ATTEMPT', 'AT', 'HTTP', 'TOOK', 'RESULT'], rows, 'Nothing was sent yet.');
  const sample = attempts.at(-1)?.response_sample;
  return `${head}\n${tried}${sample ? `\nIt answered: ${printable(sample)}\n` : ''}`;
}

export const attemptText = ({ response_status: status, timing, result, detail }: Attempt): string =>
  `${status === null ? result : `HTTP ${status}`} after ${Math.round(timing.total_ms)} ms${detail === null ? '' : `. ${detail}`}`;

const statusOf = ({ status, reason }: Delivery): string =>
  reason === null ? status : `${status}: ${reason}`;
