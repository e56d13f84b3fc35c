import { createHash } from 'node:crypto';
import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { Counts, DeletionReceipt } from '../../../application/deletion/ports.js';

export const postgresDeletionReceipts = (pool: pg.Pool) => ({
  async find(receiptId: string, since: Date) {
    return (await findReceipt(pool, { receipt_id: receiptId, since })).rows[0];
  },

  /** Deletes receipts of accounts that ended before. */
  async purge(before: Date) {
    await purgeReceipts(pool, { before });
  },
});

export const receiptTable = (tx: pg.ClientBase) => ({
  async add(
    userId: string,
    { receiptId, deletedAt, openUntil, ended }: Omit<DeletionReceipt, 'services'>,
  ) {
    await insertReceipt(tx, {
      receipt_id: receiptId,
      user_hash: hashOf(userId),
      deleted_at: deletedAt,
      open_until: openUntil,
      ended: JSON.stringify(ended),
    });
  },

  /** The account cannot be brought back any more, and this is deleted here beside what ended. */
  async finish(userId: string, counts: Counts) {
    await recordErased(tx, { userId, service: 'auth', counts, isFinal: true });
    const { rows } = await finishReceipt(tx, { user_hash: hashOf(userId) });
    const [receipt] = rows;
    if (receipt === undefined) throw new Error('The receipt of a deletion is missing.');
    return receipt;
  },

  /** The account was brought back. */
  async delete(userId: string) {
    await deleteReceipt(tx, { user_hash: hashOf(userId) });
  },
});

/**
 * Writes down what a service has ended, or deleted for good. The first report of each counts: a repeat has found
 * nothing left. What had ended before is among what was deleted.
 */
export async function recordErased(
  tx: pg.ClientBase,
  { userId, service, counts, isFinal }: Erased,
): Promise<void> {
  const reported = { user_hash: hashOf(userId), service, counts: JSON.stringify(counts) };
  await (isFinal ? addErased(tx, reported) : addEnded(tx, reported));
}

export interface Erased {
  readonly userId: string;
  readonly service: string;
  readonly counts: Counts;
  /** False: this ended when the account was closed. */
  readonly isFinal: boolean;
}

const hashOf = (userId: string): Buffer =>
  createHash('sha256').update(userId.toLowerCase()).digest();

const RECEIPT = `receipt_id as "receiptId", deleted_at as "deletedAt", open_until as "openUntil", ended, services`;

const findReceipt = statement<DeletionReceipt>(`
select ${RECEIPT} from deletion_receipts where receipt_id = :receipt_id and deleted_at > :since`);

const purgeReceipts = statement('delete from deletion_receipts where deleted_at <= :before');

const insertReceipt = statement(`
insert into deletion_receipts (receipt_id, user_hash, deleted_at, open_until, ended, services)
values (:receipt_id, :user_hash, :deleted_at, :open_until, :ended, '{}')
on conflict (user_hash) do nothing`);

const finishReceipt = statement<DeletionReceipt>(`
update deletion_receipts set open_until = null where user_hash = :user_hash returning ${RECEIPT}`);

const deleteReceipt = statement('delete from deletion_receipts where user_hash = :user_hash');

const addEnded = statement(`
update deletion_receipts
   set ended = ended || jsonb_build_object(:service::text, :counts::jsonb)
 where user_hash = :user_hash and open_until is not null and not ended ? :service::text`);

const addErased = statement(`
update deletion_receipts
   set services = services || jsonb_build_object(:service::text, (
         select coalesce(jsonb_object_agg(kind, number), '{}')
           from (select kind, sum(number::integer) as number
                   from (select * from jsonb_each_text(:counts::jsonb)
                         union all
                         select * from jsonb_each_text(ended -> :service::text)) counted (kind, number)
                  group by kind) summed))
 where user_hash = :user_hash and not services ? :service::text`);
