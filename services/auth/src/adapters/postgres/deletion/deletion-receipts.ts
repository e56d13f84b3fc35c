import { createHash } from 'node:crypto';
import type pg from 'pg';
import type {
  Counts,
  DeletionReceipt,
  DeletionReceipts,
  ReceiptTable,
} from '../../../application/deletion/ports.js';

export const postgresDeletionReceipts = (pool: pg.Pool): DeletionReceipts => ({
  async find(receiptId, since) {
    const { rows } = await pool.query<DeletionReceipt>(
      `select receipt_id as "receiptId", deleted_at as "deletedAt", services
         from deletion_receipts where receipt_id = $1 and deleted_at > $2`,
      [receiptId, since],
    );
    return rows[0];
  },

  async purge(before) {
    await pool.query('delete from deletion_receipts where deleted_at <= $1', [before]);
  },
});

export const receiptTable = (tx: pg.ClientBase): ReceiptTable => ({
  async add(userId, { receiptId, deletedAt, services }) {
    await tx.query(
      `insert into deletion_receipts (receipt_id, user_hash, deleted_at, services)
       values ($1, $2, $3, $4)`,
      [receiptId, hashOf(userId), deletedAt, JSON.stringify(services)],
    );
  },
});

/** Writes down what a service has deleted. The first report counts: a repeat has found nothing left. */
export async function recordErased(
  tx: pg.ClientBase,
  { userId, service, counts }: { userId: string; service: string; counts: Counts },
): Promise<void> {
  await tx.query(
    `update deletion_receipts set services = services || jsonb_build_object($2::text, $3::jsonb)
      where user_hash = $1 and not services ? $2::text`,
    [hashOf(userId), service, JSON.stringify(counts)],
  );
}

const hashOf = (userId: string): Buffer =>
  createHash('sha256').update(userId.toLowerCase()).digest();
