import { AppError } from '@junction/errors';
import type { Ports } from '../ports.js';
import type { DeletionReceipt } from './ports.js';

const KEPT_MS = 90 * 24 * 60 * 60 * 1_000;

/** For whoever has its id, for 90 days. AppError `receipt_not_found`. */
export const deletionReceipt =
  ({ deletionReceipts, now }: Ports) =>
  async (receiptId: string): Promise<DeletionReceipt> => {
    const receipt = await deletionReceipts.find(receiptId, keptSince(now()));
    if (receipt) return receipt;
    throw new AppError(
      'receipt_not_found',
      'There is no such receipt. It is over 90 days old, or its account was brought back.',
    );
  };

export const purgeReceipts =
  ({ deletionReceipts, now }: Ports) =>
  async (): Promise<void> =>
    deletionReceipts.purge(keptSince(now()));

const keptSince = (now: Date): Date => new Date(now.getTime() - KEPT_MS);
