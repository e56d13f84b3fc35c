/** Making of a webhook, and traits of one whose change its owner is mailed: somebody else gains by each. */
export const WEBHOOK_TRAITS = ['made', 'url', 'events', 'secret', 'headers'] as const;
export type WebhookTrait = (typeof WEBHOOK_TRAITS)[number];

/** A webhook that was made, changed or deleted. */
export interface WebhookNews {
  readonly webhookId: string;
  readonly userId: string;
  readonly at: Date;
  readonly isDeleted: boolean;
  /** Absent when the events stay as they were. */
  readonly events?: readonly string[] | undefined;
  readonly traits: readonly WebhookTrait[];
}
