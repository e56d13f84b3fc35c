/** How much was deleted, by kind: `sessions`, `webhooks`. */
export type Counts = Readonly<Record<string, number>>;

export interface DeletionReceipt {
  readonly receiptId: string;
  readonly deletedAt: Date;
  /** Until when the account can be brought back; null: it cannot. */
  readonly openUntil: Date | null;
  /** By service: what ended when the account was closed. */
  readonly ended: Readonly<Record<string, Counts>>;
  /** By service; absent until it has deleted what it held. */
  readonly services: Readonly<Record<string, Counts>>;
}

/** Receipts in the transaction of a deletion. */
export interface ReceiptTable {
  add(userId: string, receipt: Omit<DeletionReceipt, 'services'>): Promise<void>;
  /** The account cannot be brought back any more, and this is deleted here beside what ended. */
  finish(userId: string, counts: Counts): Promise<DeletionReceipt>;
  /** The account was brought back. */
  delete(userId: string): Promise<void>;
}

export interface DeletionReceipts {
  find(receiptId: string, since: Date): Promise<DeletionReceipt | undefined>;
  /** Deletes receipts of accounts that ended before. */
  purge(before: Date): Promise<void>;
}
