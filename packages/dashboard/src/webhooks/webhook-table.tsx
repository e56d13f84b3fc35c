import { Link } from '@tanstack/react-router';
import type { Webhook } from '../api/types.js';
import { nameOf } from '../model/all-webhooks.js';
import { stateWords } from '../model/webhook-state.js';
import { useEachStatistics, type WebhookNumbers } from '../statistics/statistics-queries.js';
import { percentWords } from '../statistics/steps.js';
import { Strip } from '../statistics/strip.js';
import { UnsentLink } from '../statistics/unsent-link.js';
import table from '../ui/data-table.module.css';
import { durationWords } from '../ui/relative-words.js';
import { StatusBadge } from '../ui/status-badge.js';
import { addressOf } from '../ui/url-parts.js';
import classes from './webhook-table.module.css';

export interface WebhookTableProps {
  /** All webhooks, whose numbers are read together whichever are shown. */
  readonly all: readonly Webhook[];
  readonly shown: readonly Webhook[];
}

/**
 * Webhooks as a table, and as two lines each on a phone. The roles are spelled out because CSS that moves cells removes
 * the built-in ones.
 */
export function WebhookTable({ all, shown }: WebhookTableProps) {
  const numbers = useEachStatistics(all.map(({ webhook_id: webhookId }) => webhookId));
  return (
    <table role="table" className={table['table']} aria-label="Webhooks">
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader">Webhook</th>
          <th role="columnheader" className={classes['status']}>
            Status
          </th>
          <th role="columnheader" className={classes['strip']}>
            Last 90 attempts
          </th>
          <th
            role="columnheader"
            className={`${classes['number']} ${table['number']}`}
            title="In the last 24 hours"
          >
            Success rate
          </th>
          <th
            role="columnheader"
            className={`${classes['number']} ${table['number']}`}
            title="In the last 24 hours"
          >
            Slowest 5 %
          </th>
          <th role="columnheader" className={`${classes['unsent']} ${table['number']}`}>
            Waiting
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {shown.map((webhook) => (
          <Row
            key={webhook.webhook_id}
            webhook={webhook}
            numbers={numbers?.get(webhook.webhook_id)}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly webhook: Webhook;
  /** Undefined while they are loading. */
  readonly numbers: WebhookNumbers | undefined;
}

function Row({ webhook, numbers }: RowProps) {
  const { webhook_id: webhookId, description, url, failing } = webhook;
  const { tone, label } = stateWords(webhook);
  const rate = numbers?.total.success_rate ?? null;
  const p95 = numbers?.total.latency_ms.p95 ?? null;
  return (
    <tr role="row" className={classes['row']}>
      <td
        role="cell"
        className={classes['name']}
        title={[description, url].filter(Boolean).join('\n')}
      >
        <Link to="/webhooks/$webhookId" params={{ webhookId }} className={table['open'] ?? ''}>
          <bdi>{nameOf(webhook)}</bdi>
        </Link>
        {description && <span className={table['quiet']}> {addressOf(webhook)}</span>}
      </td>
      <td role="cell" className={classes['status']} title={failing?.detail ?? label}>
        <StatusBadge tone={tone}>{label}</StatusBadge>
      </td>
      <td role="cell" className={classes['strip']}>
        <Strip marks={numbers?.marks} webhookId={webhookId} />
      </td>
      <td role="cell" className={`${classes['rate']} ${table['number']}`}>
        {rate === null ? '–' : percentWords(rate)}
      </td>
      <td role="cell" className={`${classes['late']} ${table['number']}`}>
        {p95 === null ? '–' : durationWords(p95)}
      </td>
      <td role="cell" className={`${classes['waiting']} ${table['number']}`}>
        {numbers === undefined ? '–' : <Unsent webhookId={webhookId} {...numbers} />}
      </td>
    </tr>
  );
}

/** How many deliveries wait, and how many are held where any are. */
function Unsent({ webhookId, waiting, held }: UnsentProps) {
  return (
    <>
      {(waiting > 0 || held === 0) && (
        <UnsentLink webhookId={webhookId} status="waiting" count={waiting} />
      )}
      {waiting > 0 && held > 0 && ', '}
      {held > 0 && <UnsentLink webhookId={webhookId} status="held" count={held} word="held" />}
    </>
  );
}

interface UnsentProps {
  readonly webhookId: string;
  readonly waiting: number;
  readonly held: number;
}
