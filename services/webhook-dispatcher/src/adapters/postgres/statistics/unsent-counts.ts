import { inTransaction } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { Unsent } from '../../../application/statistics/ports.js';
import { type Statement, statement } from '../statement.js';

/** A queue may hold millions: as many entries of an index as this are counted within milliseconds. */
const COUNTED_MAX = 10_000;

/** Counts deliveries that were not sent so far: those that wait, and those that are held. */
export const unsentCounts = (pool: pg.Pool) => ({
  /** Counts the deliveries of these webhooks together. */
  async unsent(webhookIds: readonly string[]): Promise<Unsent> {
    const { rows } = await counted(pool, countAll, webhookIds);
    return rows[0] ?? { waiting: 0, held: 0 };
  },

  /** Counts the deliveries of each of these webhooks. */
  async unsentOfEach(webhookIds: readonly string[]): Promise<ReadonlyMap<string, Unsent>> {
    const { rows } = await counted(pool, countEach, webhookIds);
    return new Map(rows.map(({ webhookId, ...unsent }) => [webhookId, unsent]));
  },
});

const counted = <Row extends Unsent>(
  pool: pg.Pool,
  count: Statement<Row>,
  ids: readonly string[],
) =>
  inTransaction(pool, (tx) => count(tx, { webhook_ids: ids, max: COUNTED_MAX }), {
    walksIndexes: true,
  });

/** Entries of indexes for one webhook, each of which is a delivery: no row is looked up. */
const UNSENT = {
  waiting: 'select from pending where webhook_id = w.webhook_id limit :max',
  // A hold is marked once its delivery was sent again, and gone once that has ended after all: see write-results.ts.
  held: `select from outcomes
          where webhook_id = w.webhook_id and status = 'held' and not sent_again limit :max`,
};

const WEBHOOKS = 'unnest(:webhook_ids::uuid[]) as w (webhook_id)';

const countOfAll = (unsent: string) =>
  `(select count(*)::int from (select from ${WEBHOOKS} cross join lateral (${unsent}) one limit :max) counted)`;

const countAll = statement<Unsent>(
  'webhooks_unsent',
  `select ${countOfAll(UNSENT.waiting)} as waiting, ${countOfAll(UNSENT.held)} as held`,
  { webhook_ids: 'wh' },
);

const countEach = statement<Unsent & { readonly webhookId: string }>(
  'webhooks_unsent_of_each',
  `select w.webhook_id as "webhookId", (select count(*)::int from (${UNSENT.waiting}) counted) as waiting,
          (select count(*)::int from (${UNSENT.held}) counted) as held
     from ${WEBHOOKS}`,
  { webhook_ids: 'wh', webhookId: 'wh' },
);
