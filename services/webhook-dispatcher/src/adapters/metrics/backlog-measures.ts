import { remembered } from '@junction/async';
import { type Gauge, type Meter, registerGauges } from '@junction/service/process';
import type pg from 'pg';
import { one } from '../one.js';
import {
  type Backlog,
  COUNTED_MAX,
  deliveryBacklog,
  WEBHOOKS_MAX,
  webhooksByStatus,
} from '../postgres/operators/backlog-reads.js';

/**
 * Milliseconds for which a read answers scrapes: two replicas scraped in one moment read Postgres twice, one replica
 * that is scraped twice reads once.
 */
const BACKLOG_FRESH_MS = 5_000;
const WEBHOOKS_FRESH_MS = 60_000;

/** Gauges that are the same in all replicas. */
const BACKLOG: readonly Gauge<Backlog>[] = [
  [
    'junction_deliveries_pending',
    `Deliveries that have a next attempt: pending for the first, retrying for another; counted up to ${COUNTED_MAX}.`,
    ({ pending, retrying }) => ({ pending, retrying }),
    'status',
  ],
  [
    'junction_deliveries_due',
    `Deliveries that are due, to webhooks that are active, well and without a rate limit; of ${WEBHOOKS_MAX} webhooks at most.`,
    ({ due }) => due,
  ],
  [
    'junction_delivery_oldest_due_age_seconds',
    'Time since the oldest of the due deliveries fell due; those under way are among them.',
    (backlog) => backlog.oldest_due_s,
  ],
  [
    'junction_webhooks_failing',
    'Webhooks whose last attempt failed.',
    (backlog) => backlog.failing_webhooks,
  ],
  [
    'junction_circuits',
    'Webhooks that are left alone for failing: open until their rest is over, half_open until a probe was answered.',
    (backlog) => ({ open: backlog.open_circuits, half_open: backlog.half_open_circuits }),
    'state',
  ],
];

const WEBHOOKS: readonly Gauge<ReadonlyMap<string, number>>[] = [
  [
    'junction_webhooks',
    'Webhooks by status, read once a minute.',
    (counted) => ({ active: 0, paused: 0, disabled: 0, ...Object.fromEntries(counted) }),
    'status',
  ],
];

/** Registers the gauges of what waits to be sent, and of the webhooks. */
export function measureBacklog(meter: Meter, pool: pg.Pool): void {
  const backlog = remembered(BACKLOG_FRESH_MS, async () =>
    one(await deliveryBacklog.rows(pool, {})),
  );
  registerGauges(meter, backlog, BACKLOG);
  const webhooks = remembered(WEBHOOKS_FRESH_MS, () => webhooksByStatus(pool));
  registerGauges(meter, webhooks, WEBHOOKS);
}
