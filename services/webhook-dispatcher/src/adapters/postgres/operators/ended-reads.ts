import type pg from 'pg';
import { statement } from '../statement.js';

export interface EndedDeliveries {
  readonly status: string;
  readonly reason: string;
  readonly count: number;
}

export interface FailingReason {
  readonly reason: string;
  readonly webhooks: number;
}

const GROUPS_MAX = 50;

/**
 * Counts by status and reason the deliveries that ended in the last hours without success, most first. All outcomes of
 * as many days as a delivery may take are read, so `pool` is one whose statements may take long.
 */
export async function endedDeliveries(
  pool: pg.Pool,
  { hours }: { readonly hours: number },
): Promise<readonly EndedDeliveries[]> {
  const { rows } = await readEnded(pool, { hours, groups_max: GROUPS_MAX });
  return rows.map(({ status, reason, n }) => ({ status, reason: reason ?? '', count: n }));
}

// Filed under the day on which a delivery was made; retries go on for days.
const readEnded = statement<{ status: string; reason: string | null; n: number }>(
  'operators_ended',
  `select status, reason, count(*)::int as n from outcomes
    where status <> 'succeeded' and at >= now() - :hours * interval '1 hour'
      and day >= (now() - :hours * interval '1 hour' - interval '8 days')::date
    group by status, reason order by n desc, status, reason limit :groups_max`,
);

/** Webhooks that fail, by what their last attempt came to; most first. */
export async function failingReasons(pool: pg.Pool): Promise<readonly FailingReason[]> {
  const { rows } = await readReasons(pool, { groups_max: GROUPS_MAX });
  return rows.map(({ reason, n }) => ({ reason, webhooks: n }));
}

const readReasons = statement<{ reason: string; n: number }>(
  'operators_failing_reasons',
  `select reason, count(*)::int as n from failing_webhooks
    group by reason order by n desc, reason limit :groups_max`,
);
