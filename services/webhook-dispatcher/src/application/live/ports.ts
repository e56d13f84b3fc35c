/** Entry that a listener sees as it happens. */
export interface LiveEntry {
  readonly userId: string;
  /** Id of the webhook (wh_…); only zeros for an event, which belongs to no webhook. */
  readonly webhookId: string;
  /** `delivery.filed`, `delivery.attempted`, `webhook.changed`, `operation.progressed`, `event.received` */
  readonly type: string;
  readonly data: object;
  /** Body that a webhook would get of an event, kept sealed. */
  readonly body?: Buffer | undefined;
}

/** Topic of a listener: events themselves, or their deliveries. */
export type LiveTopic = 'events' | 'deliveries';

export interface LiveQuery {
  /** Number of the last entry that was seen. */
  readonly after: string;
  readonly webhookId?: string | undefined;
  readonly topic: LiveTopic;
  readonly limit: number;
}
