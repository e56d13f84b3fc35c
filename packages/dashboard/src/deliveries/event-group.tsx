import { type ReactNode, useState } from 'react';
import type { Delivery } from '../api/types.js';
import table from '../ui/data-table.module.css';
import { LinkAnchor } from '../ui/links.js';
import { RelativeTime } from '../ui/relative-time.js';
import { StatusBadge } from '../ui/status-badge.js';
import classes from './deliveries.module.css';
import { STATUS_LABELS, STATUS_TONES } from './delivery-words.js';
import { type EventGroup as Group, groupWords, statusOf } from './event-groups.js';

export interface EventGroupProps {
  readonly group: Group;
  /** True when each row can be chosen. */
  readonly hasChoice: boolean;
  readonly row: (delivery: Delivery) => ReactNode;
}

/** The deliveries of an event in a row, which unfolds into one for each. */
export function EventGroup({ group, hasChoice, row }: EventGroupProps) {
  const [isOpen, setOpen] = useState(false);
  const { messageId, deliveries } = group;
  const [first] = deliveries;
  if (!first) return null;
  const status = statusOf(group);
  return (
    <>
      <tr role="row" className={classes['row']}>
        {hasChoice && <td role="cell" className={classes['choice']} />}
        <td role="cell" className={classes['created']}>
          <RelativeTime at={first.created_at} />
        </td>
        <td role="cell" className={classes['status']}>
          <StatusBadge tone={STATUS_TONES[status]}>{STATUS_LABELS[status]}</StatusBadge>
        </td>
        <td role="cell" className={classes['outcome']}>
          <button
            type="button"
            className={`${table['open']} ${classes['unfold']}`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {groupWords(group)}
          </button>
        </td>
        <td role="cell" className={classes['kind']} colSpan={3}>
          <LinkAnchor to="/events/$messageId" params={{ messageId }} inherit c="inherit">
            <code>{first.event_type}</code>
          </LinkAnchor>
        </td>
      </tr>
      {isOpen && deliveries.map(row)}
    </>
  );
}
