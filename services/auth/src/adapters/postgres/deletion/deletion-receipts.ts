import { createHash } from 'node:crypto';
import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type {
  Counts,
  DeletionReceipt,
  DeletionReceipts,
  ReceiptTable,
} from '../../../application/deletion/ports.js';

export const postgresDeletionReceipts = (pool: pg.Pool): DeletionReceipts => ({
  async find(receiptId, since) {
    return (await findReceipt(pool, { receipt_id: receiptId, since })).rows[0];
  },

  async purge(before) {
    await purgeReceipts(pool, { before });
  },
});

export const receiptTable = (tx: pg.ClientBase): ReceiptTable => ({
  async add(userId, { receiptId, deletedAt, services }) {
    await insertReceipt(tx, {
      receipt_id: receiptId,
      user_hash: hashOf(userId),
      deleted_at: deletedAt,
      services: JSON.stringify(services),
    });
  },
});

/** Writes down what a service has deleted. The first report counts: a repeat has found nothing left. */
export async function recordErased(
  tx: pg.ClientBase,
  { userId, service, counts }: { userId: string; service: string; counts: Counts },
): Promise<void> {
  const reported = { user_hash: hashOf(userId), service, counts: JSON.stringify(counts) };
  await addCounts(tx, reported);
}

const hashOf = (userId: string): Buffer =>
  createHash('sha256').update(userId.toLowerCase()).digest();

const findReceipt = statement<DeletionReceipt>(`
select receipt_id as "receiptId", deleted_at as "deletedAt", services
  from deletion_receipts where receipt_id = :receipt_id and deleted_at > :since`);

const purgeReceipts = statement('delete from deletion_receipts where deleted_at <= :before');

const insertReceipt = statement(`
insert into deletion_receipts (receipt_id, user_hash, deleted_at, services)
values (:receipt_id, :user_hash, :deleted_at, :services)`);

const addCounts = statement(`
update deletion_receipts
   set services = services || jsonb_build_object(:service::text, :counts::jsonb)
 where user_hash = :user_hash and not services ? :service::text`);
