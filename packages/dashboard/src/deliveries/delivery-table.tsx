import { Link } from '@tanstack/react-router';
import type { Delivery } from '../api/types.js';
import { RelativeTime } from '../ui/relative-time.js';
import { StatusBadge } from '../ui/status-badge.js';
import { Quiet } from '../ui/text.js';
import { labelOfKind } from '../webhooks/event-kinds.js';
import { urlParts } from '../webhooks/url-parts.js';
import classes from './deliveries.module.css';
import { marksOf, STATUS_LABELS, STATUS_TONES } from './delivery-words.js';
import { NextAttempt } from './next-attempt.js';
import { resultWords } from './result-words.js';

export interface DeliveryTableProps {
  readonly deliveries: readonly Delivery[];
  /** URL of each webhook; given when the table covers several webhooks. */
  readonly urls?: ReadonlyMap<string, string> | undefined;
  /** True while the rows still belong to the previous filter, because those of the new filter are loading. */
  readonly isStale: boolean;
}

/**
 * Deliveries as a table, and as cards on a phone. The roles are spelled out because CSS that moves cells removes the
 * built-in ones.
 */
export const DeliveryTable = ({ deliveries, urls, isStale }: DeliveryTableProps) => (
  <table role="table" className={classes['table']} aria-busy={isStale} aria-label="Deliveries">
    <thead role="rowgroup">
      <tr role="row">
        <th role="columnheader">Event</th>
        <th role="columnheader">Status</th>
        <th role="columnheader">What happened</th>
        <th role="columnheader">Attempts</th>
        <th role="columnheader">Created</th>
      </tr>
    </thead>
    <tbody role="rowgroup">
      {deliveries.map((delivery) => (
        <Row key={delivery.delivery_id} delivery={delivery} url={urls?.get(delivery.webhook_id)} />
      ))}
    </tbody>
  </table>
);

function Row({ delivery, url }: { readonly delivery: Delivery; readonly url: string | undefined }) {
  const { delivery_id: deliveryId, webhook_id: webhookId, status } = delivery;
  const attempts = delivery.attempt_count;
  return (
    <tr role="row">
      <td role="cell" className={classes['event']}>
        <Link
          to="/webhooks/$webhookId/deliveries/$deliveryId"
          params={{ webhookId, deliveryId }}
          className={classes['open'] ?? ''}
        >
          {labelOfKind(delivery.event_type)}
        </Link>
        <Quiet size="xs">
          {[delivery.event_type, ...marksOf(delivery).map((mark) => mark.toLowerCase())].join(
            ' · ',
          )}
        </Quiet>
        {url && (
          <Quiet size="xs" className={classes['url'] ?? ''}>
            {urlParts(url).host}
            {urlParts(url).rest}
          </Quiet>
        )}
      </td>
      <td role="cell" className={classes['status']}>
        <StatusBadge tone={STATUS_TONES[status]}>{STATUS_LABELS[status]}</StatusBadge>
      </td>
      <td role="cell" className={classes['outcome']}>
        {outcomeWords(delivery)}
        <NextAttempt delivery={delivery} />
      </td>
      <td role="cell" className={classes['attempts']}>
        {attempts}
        <span className={classes['unit']}> {attempts === 1 ? 'attempt' : 'attempts'}</span>
      </td>
      <td role="cell" className={classes['created']}>
        <RelativeTime at={delivery.created_at} />
      </td>
    </tr>
  );
}

function outcomeWords({ status, reason }: Delivery): string | undefined {
  if (status === 'succeeded') return 'Accepted by the receiver';
  return reason === null ? undefined : resultWords(reason).short;
}
