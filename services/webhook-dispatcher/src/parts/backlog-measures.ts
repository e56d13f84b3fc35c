import { remembered } from '@junction/async';
import type { Meter } from '@junction/service/process';
import type pg from 'pg';
import {
  type Backlog,
  COUNTED_MAX,
  deliveryBacklog,
  WEBHOOKS_MAX,
  webhooksByStatus,
} from '../adapters/postgres/operators/backlog.js';
import type { Dispatch } from '../application/sending/ports.js';

const SECOND_MS = 1_000;
/**
 * Milliseconds for which a read answers scrapes: two replicas scraped in one moment read Postgres twice, one replica
 * that is scraped twice reads once.
 */
const BACKLOG_FRESH_MS = 5 * SECOND_MS;
const WEBHOOKS_FRESH_MS = 60 * SECOND_MS;
const WEBHOOK_STATUSES = ['active', 'paused', 'disabled'];

/** Registers what Postgres knows at the moment of a scrape; it is the same in all replicas. */
export function measureBacklog(meter: Meter, pool: pg.Pool): void {
  const backlog = remembered(BACKLOG_FRESH_MS, () => deliveryBacklog(pool));
  measureWaiting(meter, backlog);
  measureFailing(meter, backlog);
  const statuses = remembered(WEBHOOKS_FRESH_MS, () => webhooksByStatus(pool));
  meter.gauge(
    'junction_webhooks',
    'Webhooks by status, read once a minute.',
    ['status'],
    async () => {
      const counted = await statuses();
      return WEBHOOK_STATUSES.map((status) => ({
        value: counted.get(status) ?? 0,
        labels: { status },
      }));
    },
  );
}

type Read = () => Promise<Backlog>;

function measureWaiting(meter: Meter, backlog: Read): void {
  const gauge = (name: string, help: string, read: (backlog: Backlog) => number): void =>
    meter.gauge(name, help, [], async () => [{ value: read(await backlog()) }]);

  meter.gauge(
    'junction_deliveries_pending',
    `Deliveries that have a next attempt: pending for the first, retrying for another; counted up to ${COUNTED_MAX}.`,
    ['status'],
    async () => {
      const { pending, retrying } = await backlog();
      return [
        { value: pending, labels: { status: 'pending' } },
        { value: retrying, labels: { status: 'retrying' } },
      ];
    },
  );
  gauge(
    'junction_deliveries_due',
    `Deliveries that are due, to webhooks that are active, well and without a rate limit; of ${WEBHOOKS_MAX} webhooks at most.`,
    ({ due }) => due,
  );
  gauge(
    'junction_delivery_oldest_due_age_seconds',
    'How long the oldest of the due deliveries has been due; those under way are among them.',
    ({ oldestDueS }) => oldestDueS,
  );
}

function measureFailing(meter: Meter, backlog: Read): void {
  meter.gauge('junction_webhooks_failing', 'Webhooks whose last attempt failed.', [], async () => [
    { value: (await backlog()).failing },
  ]);
  meter.gauge(
    'junction_circuits',
    'Webhooks that are left alone for failing: open until their rest is over, half_open until a probe was answered.',
    ['state'],
    async () => {
      const { circuitsOpen, circuitsHalfOpen } = await backlog();
      return [
        { value: circuitsOpen, labels: { state: 'open' } },
        { value: circuitsHalfOpen, labels: { state: 'half_open' } },
      ];
    },
  );
}

/** Registers what this replica does at the moment of a scrape. */
export function measureDispatch(
  meter: Meter,
  dispatch: Pick<Dispatch, 'shards' | 'underWay'>,
): void {
  meter.gauge('junction_shards_owned', 'Shards that this replica sends for, of 48.', [], () => [
    { value: dispatch.shards() },
  ]);
  meter.gauge(
    'junction_deliveries_under_way',
    'Requests of this replica that wait for their answer, by whether their receivers are known to answer soon.',
    ['receivers'],
    () => {
      const { responsive, unresponsive } = dispatch.underWay();
      return [
        { value: responsive, labels: { receivers: 'responsive' } },
        { value: unresponsive, labels: { receivers: 'unresponsive' } },
      ];
    },
  );
}
