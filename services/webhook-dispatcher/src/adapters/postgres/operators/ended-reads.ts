import { query } from '@junction/service';
import { z } from 'zod';
import { statement } from '../statement.js';
import { COUNTED_MAX } from './backlog-reads.js';

const GROUPS_MAX = 50;

/**
 * Deliveries that ended in the last hours without success by status and reason, most first. All of them are
 * read, so the pool is one whose statements may take long.
 */
// Filed under the day on which a delivery was made; retries go on for days.
export const endedDeliveries = query(
  z.object({ status: z.string(), reason: z.string(), count: z.int() }),
  statement(
    'operators_ended',
    `select status, coalesce(reason, '') as reason, count(*)::int as count from outcomes
      where status <> 'succeeded' and at >= now() - :hours * interval '1 hour'
        and day >= (now() - :hours * interval '1 hour' - interval '8 days')::date
      group by status, outcomes.reason order by count desc, status, outcomes.reason limit ${GROUPS_MAX}`,
  ),
);

/** Webhooks that fail, by what their last attempt came to; most first. 100,000 are counted at most. */
export const failingReasons = query(
  z.object({ reason: z.string(), webhooks: z.int() }),
  statement(
    'operators_failing_reasons',
    `select reason, count(*)::int as webhooks from (select reason from failing_webhooks limit ${COUNTED_MAX}) listed
      group by reason order by webhooks desc, reason limit ${GROUPS_MAX}`,
  ),
);
