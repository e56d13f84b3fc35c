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
