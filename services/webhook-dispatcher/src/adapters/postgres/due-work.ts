import type pg from 'pg';
import type { DueQuery, DueWork } from '../../application/dispatch/due-reader.js';
import type { Job } from '../../application/dispatch/job.js';
import type { OpenSealed } from './sealed-rows.js';
import { fromStoredId, toStoredId } from './stored-id.js';

interface DueRow {
  readonly index_version: string;
  readonly free_shards: boolean;
  readonly delivery_id: string | null;
  readonly day: string;
  readonly webhook_id: string;
  readonly message_id: string;
  readonly user_id: string;
  readonly kind: string;
  readonly shard: number;
  readonly attempt: number;
  readonly body: Buffer;
  readonly key_id: string | null;
}

/**
 * What is due in these shards, oldest first, and the version of the index in the same snapshot. Whether
 * shards are free is told along the way: this statement runs often enough for a hand-over, at no cost.
 */
export const dueWork =
  (pool: pg.Pool, openSealed: OpenSealed) =>
  async (query: DueQuery): Promise<DueWork> => {
    const { rows } = await pool.query<DueRow>({
      name: 'due_work',
      text: `select i.version as index_version, free.shards as free_shards, due.*
               from webhook_index i
              cross join (select exists (select from shard_leases
                                          where owner is null or expires_at <= now()) as shards) free
               left join lateral (
                 select p.delivery_id, p.day::text, p.webhook_id, p.user_id, p.shard, p.attempt,
                        d.message_id, d.kind, d.body, d.key_id
                   from (select * from pending
                          where shard = any ($1) and next_at <= now()
                            and webhook_id <> all ($2::uuid[]) and delivery_id <> all ($3::uuid[])
                          order by next_at, delivery_id limit $4) p
                   join deliveries d on d.day = p.day and d.delivery_id = p.delivery_id
                  order by p.next_at, p.delivery_id) due on true`,
      values: [
        query.shards,
        query.exceptWebhooks.map(toStoredId),
        query.exceptDeliveries,
        query.limit,
      ],
    });
    const due = rows.filter(isDelivery);
    const bodies = await openSealed(due.map(sealedBody));
    const unreadable = due.filter((_, index) => bodies[index] === undefined);
    if (unreadable.length > 0) await putOff(pool, unreadable);
    const jobs = due.flatMap((row, index) => toJob(row, bodies[index]));
    const [first] = rows;
    return {
      indexVersion: first?.index_version ?? '',
      freeShards: first?.free_shards ?? false,
      jobs,
    };
  };

/** They stay due and would be read again and again, in the place of those behind them. */
const putOff = async (pool: pg.Pool, rows: readonly Due[]): Promise<void> => {
  await pool.query({
    name: 'put_off_unreadable',
    text: `update pending set next_at = now() + interval '5 minutes'
            where delivery_id = any ($1::uuid[]) and next_at <= now()`,
    values: [rows.map((row) => row.delivery_id)],
  });
};

type Due = DueRow & { readonly delivery_id: string };

const isDelivery = (row: DueRow): row is Due => row.delivery_id !== null;

const sealedBody = (row: Due) => ({
  userId: row.user_id,
  bytes: row.body,
  keyId: row.key_id,
  place: bodyPlace(row.delivery_id),
});

/** A body whose key is destroyed belongs to a user who was deleted: its row is about to go. */
function toJob(row: Due, body: Buffer | undefined): readonly Job[] {
  if (body === undefined) return [];
  return [
    {
      deliveryId: row.delivery_id,
      day: row.day,
      messageId: row.message_id,
      webhookId: fromStoredId('wh', row.webhook_id),
      webhookVersion: 0,
      userId: row.user_id,
      kind: row.kind,
      shard: row.shard,
      attempt: row.attempt,
      body,
    },
  ];
}

export const bodyPlace = (deliveryId: string): string => `deliveries/body/${deliveryId}`;
