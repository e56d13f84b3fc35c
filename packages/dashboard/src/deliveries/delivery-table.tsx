import { useMediaQuery } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { type MouseEvent, memo, type ReactNode } from 'react';
import type { Delivery } from '../api/types.js';
import { useWebhookNames } from '../model/all-webhooks.js';
import { labelOfKind } from '../model/event-kinds.js';
import { resultWords } from '../model/result-words.js';
import table from '../ui/data-table.module.css';
import { RelativeTime } from '../ui/relative-time.js';
import { StatusBadge } from '../ui/status-badge.js';
import { addressOf } from '../ui/url-parts.js';
import classes from './deliveries.module.css';
import { answerWords, marksOf, STATUS_LABELS, STATUS_TONES, tookWords } from './delivery-words.js';
import { EventGroup } from './event-group.js';
import { groupsOf } from './event-groups.js';
import { NextAttempt } from './next-attempt.js';
import type { Choice } from './use-choice.js';
import { openKey, usePanel } from './use-panel.js';

/** Width from which on a delivery opens beside the list. */
const WIDE = '(min-width: 75em)';

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
  /** True: the deliveries of an event are one row, which unfolds. */
  readonly isGrouped?: boolean;
  /** True: all deliveries are of one event, so that a row is named by its webhook, not by its kind. */
  readonly isOfEvent?: boolean;
}

/**
 * Deliveries as a table, and as two lines each on a phone. The roles are spelled out because CSS that moves cells
 * removes the built-in ones.
 */
export function DeliveryTable(props: DeliveryTableProps) {
  const { deliveries, urls, isStale, choice, open, isGrouped = false, isOfEvent = false } = props;
  const isWide = useMediaQuery(WIDE) && open !== undefined;
  const names = useWebhookNames(urls !== undefined);
  const ids = deliveries.map(({ delivery_id: id }) => id);
  const row = (delivery: Delivery) => (
    <Row
      key={delivery.delivery_id}
      delivery={delivery}
      url={urls && (urls.get(delivery.webhook_id) ?? '')}
      name={names && (names.get(delivery.webhook_id) ?? delivery.webhook_id)}
      isChosen={choice?.has(delivery.delivery_id)}
      onChoice={choice?.toggle}
      isOfEvent={isOfEvent}
      opensBeside={isWide}
      isOpen={open === openKey(delivery)}
    />
  );
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
          <th role="columnheader" className={classes['created']}>
            Created
          </th>
          <th role="columnheader" className={classes['status']}>
            Status
          </th>
          <th role="columnheader" className={classes['outcome']}>
            Answer
          </th>
          {!isOfEvent && (
            <th role="columnheader" className={classes['kind']}>
              Kind
            </th>
          )}
          {urls && (
            <th role="columnheader" className={classes['webhook']}>
              Webhook
            </th>
          )}
          <th role="columnheader" className={`${classes['took']} ${table['number']}`}>
            Took
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {isGrouped
          ? groupsOf(deliveries).map((group) =>
              group.deliveries.length === 1 ? (
                group.deliveries.map(row)
              ) : (
                <EventGroup
                  key={group.messageId}
                  group={group}
                  hasChoice={choice !== undefined}
                  row={row}
                />
              ),
            )
          : deliveries.map(row)}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly delivery: Delivery;
  /** Undefined: the table covers one webhook. */
  readonly url: string | undefined;
  /** The id of a webhook that is deleted. Undefined: it is not read yet. */
  readonly name: string | undefined;
  /** Undefined: it can't be chosen. */
  readonly isChosen: boolean | undefined;
  readonly onChoice: Choice['toggle'] | undefined;
  readonly isOfEvent: boolean;
  readonly opensBeside: boolean;
  readonly isOpen: boolean;
}

const Row = memo(function Row(props: RowProps) {
  const { delivery, url = '', name = addressOf({ url }), isChosen, onChoice, isOfEvent } = props;
  const { delivery_id: deliveryId, status, event_type: type } = delivery;
  const reason = delivery.reason === null ? undefined : resultWords(delivery.reason);
  const answer = answerWords(delivery);
  const marks = marksOf(delivery).map((mark) => mark.toLowerCase());
  const marked = marks.length > 0 && <span className={table['quiet']}> {marks.join(' · ')}</span>;
  return (
    <tr
      role="row"
      id={openKey(delivery)}
      className={classes['row']}
      data-open={props.isOpen || undefined}
    >
      {isChosen !== undefined && (
        <td role="cell" className={classes['choice']}>
          <label>
            <input
              type="checkbox"
              aria-label={`Choose ${labelOfKind(type)}`}
              checked={isChosen}
              onChange={() => onChoice?.(deliveryId)}
            />
          </label>
        </td>
      )}
      <td role="cell" className={classes['created']}>
        <RelativeTime at={delivery.created_at} />
      </td>
      <td role="cell" className={classes['status']}>
        <StatusBadge tone={STATUS_TONES[status]}>{STATUS_LABELS[status]}</StatusBadge>
      </td>
      <td
        role="cell"
        className={classes['outcome']}
        title={[answer, reason?.long].filter(Boolean).join('\n') || undefined}
      >
        {answer && <span>{answer} </span>}
        <NextAttempt delivery={delivery} />
      </td>
      {!isOfEvent && (
        <td role="cell" className={classes['kind']} title={labelOfKind(type)}>
          <OpenLink {...props}>
            <code>{type}</code>
          </OpenLink>
          {marked}
        </td>
      )}
      {props.url !== undefined && (
        <td
          role="cell"
          className={`${classes['webhook']} ${isOfEvent ? '' : table['quiet']}`}
          title={[name, url].filter(Boolean).join('\n')}
        >
          {isOfEvent ? <OpenLink {...props}>{name}</OpenLink> : <bdi>{name}</bdi>}
          {isOfEvent && marked}
        </td>
      )}
      <td role="cell" className={`${classes['took']} ${table['number']}`}>
        {tookWords(delivery)}
      </td>
    </tr>
  );
});

interface OpenLinkProps extends Pick<RowProps, 'delivery' | 'opensBeside' | 'isOpen'> {
  readonly children: ReactNode;
}

/** Leads to the page of the delivery, or opens it beside the list; a new tab has the page in either case. */
function OpenLink({ delivery, opensBeside, isOpen, children }: OpenLinkProps) {
  const { delivery_id: deliveryId, webhook_id: webhookId } = delivery;
  const show = usePanel();
  const openBeside = (event: MouseEvent) => {
    if (!opensBeside || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    show(openKey(delivery));
  };
  return (
    <Link
      to="/webhooks/$webhookId/deliveries/$deliveryId"
      params={{ webhookId, deliveryId }}
      className={table['open'] ?? ''}
      aria-current={isOpen || undefined}
      onClick={openBeside}
    >
      <bdi>{children}</bdi>
    </Link>
  );
}
