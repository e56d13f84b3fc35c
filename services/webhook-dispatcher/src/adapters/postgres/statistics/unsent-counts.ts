import type pg from 'pg';
import type { Unsent } from '../../../application/statistics/ports.js';
import { REPEATS } from '../standing.js';
import { statement } from '../statement.js';

/** A queue may hold millions: as many as this are counted within milliseconds. */
const COUNTED_MAX = 10_000;

/** Counts deliveries that were not sent so far: those that wait, and those that are held. */
export const unsentCounts = (pool: pg.Pool) => ({
  /** Counts the deliveries of these webhooks together. */
  async unsent(webhookIds: readonly string[]): Promise<Unsent> {
    const { rows } = await countAll(pool, { webhook_ids: webhookIds, max: COUNTED_MAX });
    return rows[0] ?? { waiting: 0, held: 0 };
  },

  /** Counts the deliveries of each of these webhooks. */
  async unsentOfEach(webhookIds: readonly string[]): Promise<ReadonlyMap<string, Unsent>> {
    const { rows } = await countEach(pool, { webhook_ids: webhookIds, max: COUNTED_MAX });
    return new Map(rows.map(({ webhookId, ...unsent }) => [webhookId, unsent]));
  },
});

/**
 * Returns the columns that count for the webhooks of a condition what the list of deliveries has by the same filter. A
 * held delivery is sent again as another one, or has succeeded by a request that was under way when it was held. The
 * subqueries with `limit` are looked up row by row, where an anti join might read the attempts of a month.
 */
const countsOf = (webhooks: string) => `
  (select count(*)::int from (select from pending where webhook_id ${webhooks} limit :max) as counted) as waiting,
  (select count(*)::int from (
     select from outcomes o
      where o.webhook_id ${webhooks} and o.status = 'held'
        and (select r.original_id
               from deliveries d join redeliveries r on ${REPEATS}
              where d.day = o.day and d.delivery_id = o.delivery_id limit 1) is null
        and (select a.n from attempts a
              where a.day = o.day and a.delivery_id = o.delivery_id and a.result = 'succeeded' limit 1) is null
      limit :max) as counted) as held`;

const countAll = statement<Unsent>(
  'webhooks_unsent',
  `select ${countsOf('= any (:webhook_ids::uuid[])')}`,
  { webhook_ids: 'wh' },
);

const countEach = statement<Unsent & { readonly webhookId: string }>(
  'webhooks_unsent_of_each',
  `select w.webhook_id as "webhookId", ${countsOf('= w.webhook_id')}
     from unnest(:webhook_ids::uuid[]) as w (webhook_id)`,
  { webhook_ids: 'wh', webhookId: 'wh' },
);
