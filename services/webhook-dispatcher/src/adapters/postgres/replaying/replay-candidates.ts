import { walkIndexes } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { Candidate, ReplaySpan } from '../../../application/replaying/ports.js';
import { STANDING, STANDING_JOINS } from '../standing.js';
import { statement } from '../statement.js';
import { BODY_BYTES } from '../stored-answer.js';
import { dayOf, lowestIdAt } from '../stored-id.js';

const DAY_MS = 86_400_000;

/**
 * Returns the next deliveries of the span in the order of their ids; fewer than `limit`: there are no more. When only
 * what failed for good is wanted, what succeeded or waits is not even looked at. Statements of the transaction from
 * here on are planned to walk indexes.
 */
export async function candidates(
  tx: pg.ClientBase,
  webhookId: string,
  { from, to, outcomes }: ReplaySpan,
  after: string | null,
  limit: number,
): Promise<readonly Candidate[]> {
  const hasEnded = outcomes.some((outcome) => outcome !== 'retrying');
  const waits = outcomes.includes('retrying');
  const source = outcomes.includes('succeeded') ? 'deliveries' : sourceOf(hasEnded, waits);
  await walkIndexes(tx);
  const { rows } = await SCANS[source](tx, {
    webhook_id: webhookId,
    // No id is the lowest one of its millisecond.
    after_delivery_id: after ?? lowestIdAt(from),
    end_delivery_id: lowestIdAt(to),
    first_day: dayOf(from, -DAY_MS),
    last_day: dayOf(to, DAY_MS),
    limit,
  });
  return rows;
}

const sourceOf = (hasEnded: boolean, waits: boolean) => {
  if (!waits) return 'outcomes';
  return hasEnded ? 'both' : 'pending';
};

const IN_SPAN = `
   where webhook_id = :webhook_id and delivery_id > :after_delivery_id
     and delivery_id < :end_delivery_id
     and day between :first_day::date and :last_day::date`;

/** Selects the first deliveries of a table, each once: it may have been held, and then have failed. */
const firstOf = (table: string, condition: string) => `
  (select distinct on (delivery_id) day, delivery_id, ${table === 'pending'} as waits from ${table} ${IN_SPAN}
      and ${condition} order by delivery_id limit :limit)`;

// Without a name, and so planned for its values each time: the plan for any values that a prepared
// statement ends up with sorts through a day of millions for each page.
//
// A delivery that is found because it waits stands for itself, and no other is taken for it: of a delivery that ended
// and has a repeat that waits, the repeat is found.
const scanOf = (source: string, standing = STANDING) =>
  statement<Candidate>(
    null,
    `
with scanned as materialized (
  select distinct on (delivery_id) day, delivery_id, waits from (${source}) found
   order by delivery_id, waits desc limit :limit
)
select s.day::text, s.delivery_id as "deliveryId", d.kind, d.is_repeat and not s.waits as "isRepeat",
       d.redacted as "isRedacted", coalesce(d.bytes, 0) as bytes, ${standing} as status
  from scanned s
  left join lateral (select day, delivery_id, kind, original_id is not null as is_repeat,
                            redacted_at is not null as redacted, ${BODY_BYTES} as bytes
                       from deliveries d
                      where d.day = s.day and d.delivery_id = s.delivery_id limit 1) d on true
  ${STANDING_JOINS}
 order by s.delivery_id`,
    { webhook_id: 'wh', after_delivery_id: 'dlv', end_delivery_id: 'dlv', deliveryId: 'dlv' },
  );

const ENDED = firstOf('outcomes', `status <> 'succeeded'`);
const WAITING = firstOf('pending', `status = 'retrying'`);
const APART = `case when s.waits or ${STANDING} <> 'retrying' then ${STANDING} else 'pending' end`;

const SCANS = {
  deliveries: scanOf(firstOf('deliveries', 'true')),
  outcomes: scanOf(ENDED),
  pending: scanOf(WAITING, APART),
  both: scanOf(`${ENDED} union all ${WAITING}`, APART),
};
