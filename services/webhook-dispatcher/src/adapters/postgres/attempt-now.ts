import type { Queryable } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { DueAttempt } from '../../application/unit-of-work.js';
import { probeNow } from './circuits.js';
import { statement } from './statement.js';
import { BODY_BYTES } from './stored-answer.js';

/**
 * Has the next attempt of these deliveries and their repeats made now, once more than the schedule has, and returns the
 * ids of all that wait. An open circuit lets one probe through, unless one failed since `askedAt`. `isFirst`: before
 * all that is due of the webhook, so that the delivery is that probe; otherwise behind all live ones, as a replay.
 */
export async function attemptNow(
  tx: pg.ClientBase,
  webhookId: string,
  deliveryIds: readonly string[],
  { isFirst, askedAt }: { readonly isFirst: boolean; readonly askedAt: Date },
): Promise<readonly string[]> {
  if (deliveryIds.length === 0) return [];
  const { rows } = await findWaiting(tx, { delivery_ids: deliveryIds });
  const waiting = rows.map(({ delivery_id: id }) => id);
  if (waiting.length === 0) return waiting;
  // Webhooks are locked before what waits for them: changes of a webhook lock them in this order too.
  await probeNow(tx, webhookId, askedAt);
  await bringForward(tx, { webhook_id: webhookId, delivery_ids: waiting, is_first: isFirst });
  return waiting;
}

/**
 * Has the delivery that goes next attempted now, and ends the rest of an open circuit even when none waits, unless a
 * probe failed since `askedAt`. Returns the attempt, which may be under way when it is due already; undefined: none
 * waits.
 */
export async function attemptFirst(
  tx: pg.ClientBase,
  webhookId: string,
  askedAt: Date,
): Promise<DueAttempt | undefined> {
  // Before the rest of the circuit is ended, because whether it is over says which attempt is the probe.
  const [first] = (await findFirst(tx, { webhook_id: webhookId })).rows;
  await probeNow(tx, webhookId, askedAt);
  if (first === undefined) return undefined;
  const delivery_ids = [first.deliveryId];
  await bringForward(tx, { webhook_id: webhookId, delivery_ids, is_first: true });
  return first;
}

// Each is looked up by its key: a plan for any ids reads all that waits in the installation.
const findWaiting = statement<{ delivery_id: string }>(
  'find_waiting',
  `select p.delivery_id
     from (select unnest(:delivery_ids::uuid[]) as delivery_id
            union
           select r.delivery_id from redeliveries r
            where r.original_id = any (:delivery_ids::uuid[])) wanted
    cross join lateral (select p.delivery_id from pending p
                         where p.delivery_id = wanted.delivery_id limit 1) p
    order by p.delivery_id desc`,
  { delivery_ids: 'dlv', delivery_id: 'dlv' },
);

/**
 * True of a delivery that waits for its time. A delivery that is due may be under way, and its attempt is then the one
 * that was requested.
 */
const WAITS_FOR_ITS_TIME = `p.status = 'retrying' and p.next_at > now()`;

/**
 * The queue of an ordered webhook goes by age, that of any other by the times of its next attempts. An attempt that is
 * due may have been sent before it was asked for, so one that waits for its time is taken first. Once the rest of the
 * circuit is over, no other is: the probe is due or under way, and all else waits for how it ends.
 */
const findFirst = statement<DueAttempt>(
  'find_first',
  `select p.delivery_id as "deliveryId", p.attempt, coalesce(d.bytes, 0) as bytes
     from webhooks w
     left join circuits c on c.webhook_id = w.webhook_id
    cross join lateral (
      (select 1 as place, day, delivery_id, attempt from pending
        where w.ordered and webhook_id = w.webhook_id order by delivery_id limit 1)
       union all
      (select 2, day, delivery_id, attempt from pending p
        where not w.ordered and (c.probe_at <= now()) is not true
          and webhook_id = w.webhook_id and ${WAITS_FOR_ITS_TIME} order by next_at limit 1)
       union all
      (select 3, day, delivery_id, attempt from pending
        where not w.ordered and webhook_id = w.webhook_id order by next_at limit 1)) p
     left join lateral (select ${BODY_BYTES} as bytes from deliveries d
                         where d.day = p.day and d.delivery_id = p.delivery_id limit 1) d on true
    where w.webhook_id = :webhook_id
    order by p.place limit 1`,
  { webhook_id: 'wh', deliveryId: 'dlv' },
);

const bringForward = statement(
  'bring_forward',
  `update pending p
      set next_at = case when :is_first
                         then least(now(), (select min(f.next_at) from pending f
                                             where f.webhook_id = :webhook_id) - interval '1 ms')
                         else now() end,
          unscheduled = unscheduled + 1, is_replay = not :is_first
    where p.delivery_id = any (:delivery_ids::uuid[]) and ${WAITS_FOR_ITS_TIME}`,
  { webhook_id: 'wh', delivery_ids: 'dlv' },
);

/**
 * Has the oldest of what waits for an ordered webhook attempted now, once more than its schedule has: whatever is
 * asked of the webhook waits behind it. Nothing where the webhook is not ordered.
 */
export async function headNow(db: Queryable, webhookId: string): Promise<void> {
  await bringHeadForward(db, { webhook_id: webhookId });
}

// The row of the webhook is touched so that every replica reads its head again.
const bringHeadForward = statement(
  'bring_head_forward',
  `with touched as materialized (
     update webhooks set webhook_id = webhook_id
      where webhook_id = :webhook_id and ordered returning webhook_id
   )
   update pending p set next_at = now(), unscheduled = unscheduled + 1
     from touched
    where p.delivery_id = (select delivery_id from pending where webhook_id = :webhook_id
                            order by delivery_id limit 1)
      and ${WAITS_FOR_ITS_TIME}`,
  { webhook_id: 'wh' },
);
