import { useMediaQuery } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import type { MouseEvent } from 'react';
import type { Delivery } from '../api/types.js';
import { useWebhookNames } from '../model/all-webhooks.js';
import { labelOfKind } from '../model/event-kinds.js';
import { resultWords } from '../model/result-words.js';
import table from '../ui/data-table.module.css';
import { RelativeTime } from '../ui/relative-time.js';
import { StatusBadge } from '../ui/status-badge.js';
import { addressOf } from '../ui/url-parts.js';
import classes from './deliveries.module.css';
import { marksOf, STATUS_LABELS, STATUS_TONES } from './delivery-words.js';
import { NextAttempt } from './next-attempt.js';
import type { Choice } from './use-choice.js';

/** Width from which on a delivery opens beside the list. */
const WIDE = '(min-width: 88em)';

export interface DeliveryTableProps {
  readonly deliveries: readonly Delivery[];
  /** URL of each webhook; given when the table covers several webhooks. */
  readonly urls?: ReadonlyMap<string, string> | undefined;
  /** True while the rows still belong to the previous filter, because those of the new filter are loading. */
  readonly isStale?: boolean;
  /** Deliveries that are chosen; absent: none can be. */
  readonly choice?: Choice;
  /** Delivery that is open beside the table; null: none is; absent: deliveries open as pages. */
  readonly open?: string | null;
}

/**
 * Deliveries as a table, and as two lines each on a phone. The roles are spelled out because CSS that moves cells
 * removes the built-in ones.
 */
export function DeliveryTable({ deliveries, urls, isStale, choice, open }: DeliveryTableProps) {
  const isWide = useMediaQuery(WIDE) && open !== undefined;
  const names = useWebhookNames(urls !== undefined);
  const ids = deliveries.map(({ delivery_id: id }) => id);
  return (
    <table role="table" className={table['table']} aria-busy={isStale} aria-label="Deliveries">
      <thead role="rowgroup">
        <tr role="row">
          {choice && (
            <th role="columnheader" className={classes['choice']}>
              <label>
                <input
                  type="checkbox"
                  aria-label="Choose all that are shown"
                  checked={ids.every((id) => choice.has(id))}
                  onChange={({ currentTarget: { checked } }) => choice.set(checked ? ids : [])}
                />
              </label>
            </th>
          )}
          <th role="columnheader" className={classes['event']}>
            Event
          </th>
          <th role="columnheader" className={classes['status']}>
            Status
          </th>
          <th role="columnheader">What happened</th>
          {urls && (
            <th role="columnheader" className={classes['webhook']}>
              Webhook
            </th>
          )}
          <th role="columnheader" className={classes['attempts']}>
            Attempts
          </th>
          <th role="columnheader" className={classes['created']}>
            Created
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {deliveries.map((delivery) => (
          <Row
            key={delivery.delivery_id}
            delivery={delivery}
            url={urls && (urls.get(delivery.webhook_id) ?? '')}
            name={names?.get(delivery.webhook_id)}
            choice={choice}
            opensBeside={isWide}
            isOpen={open === openKey(delivery)}
          />
        ))}
      </tbody>
    </table>
  );
}

const openKey = ({ webhook_id: webhookId, delivery_id: deliveryId }: Delivery): string =>
  `${webhookId}.${deliveryId}`;

interface RowProps {
  readonly delivery: Delivery;
  /** Undefined: the table covers one webhook. */
  readonly url: string | undefined;
  /** Undefined: the webhook is deleted, or not read yet. */
  readonly name: string | undefined;
  readonly choice: Choice | undefined;
  readonly opensBeside: boolean;
  readonly isOpen: boolean;
}

function Row({ delivery, url, name, choice, opensBeside, isOpen }: RowProps) {
  const { delivery_id: deliveryId, status, event_type: type } = delivery;
  const attempts = delivery.attempt_count;
  const marks = marksOf(delivery).map((mark) => mark.toLowerCase());
  return (
    <tr role="row" className={classes['row']} data-open={isOpen || undefined}>
      {choice && (
        <td role="cell" className={classes['choice']}>
          <label>
            <input
              type="checkbox"
              aria-label={`Choose ${labelOfKind(type)}`}
              checked={choice.has(deliveryId)}
              onChange={() => choice.toggle(deliveryId)}
            />
          </label>
        </td>
      )}
      <td role="cell" className={classes['event']} title={type}>
        <OpenLink delivery={delivery} opensBeside={opensBeside} isOpen={isOpen} />
        {marks.length > 0 && <span className={table['quiet']}> {marks.join(' · ')}</span>}
      </td>
      <td role="cell" className={classes['status']}>
        <StatusBadge tone={STATUS_TONES[status]}>{STATUS_LABELS[status]}</StatusBadge>
      </td>
      <td role="cell" className={classes['outcome']}>
        <div>
          {outcomeWords(delivery)} <NextAttempt delivery={delivery} />
        </div>
      </td>
      {url !== undefined && (
        <td role="cell" className={`${classes['webhook']} ${table['quiet']}`} title={url}>
          {name ?? addressOf({ url })}
        </td>
      )}
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

type OpenLinkProps = Pick<RowProps, 'delivery' | 'opensBeside' | 'isOpen'>;

/** Leads to the page of the delivery, or opens it beside the list; a new tab has the page in either case. */
function OpenLink({ delivery, opensBeside, isOpen }: OpenLinkProps) {
  const { delivery_id: deliveryId, webhook_id: webhookId } = delivery;
  const navigate = useNavigate();
  const openBeside = (event: MouseEvent) => {
    if (!opensBeside || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    void navigate({
      to: '.',
      search: (search) => ({ ...search, open: openKey(delivery) }),
      replace: true,
      resetScroll: false,
    });
  };
  return (
    <Link
      to="/webhooks/$webhookId/deliveries/$deliveryId"
      params={{ webhookId, deliveryId }}
      className={table['open'] ?? ''}
      aria-current={isOpen || undefined}
      onClick={openBeside}
    >
      {labelOfKind(delivery.event_type)}
    </Link>
  );
}

function outcomeWords({ status, reason }: Delivery): string | undefined {
  if (status === 'succeeded') return 'Accepted by the receiver';
  return reason === null ? undefined : resultWords(reason).short;
}
