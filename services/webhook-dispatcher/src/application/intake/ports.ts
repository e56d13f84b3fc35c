import type { Matchable, Verdict } from '../../domain/delivery/match.js';
import type { AttemptRecord, Job, Result } from '../job.js';

/** An event of an assistant, or a notice of ours, that keeps the rules of its topic. Ids as in the contract. */
export interface IncomingEvent {
  /** msg_… */
  readonly messageId: string;
  readonly source: string;
  readonly id: string;
  readonly userId: string;
  readonly kind: string;
  /** True: only webhooks that name the kind, or its group, get the event. */
  readonly isOptIn: boolean;
  /** Time of the event, as its producer says. */
  readonly time: Date;
  readonly data: Buffer;
  /** Time when the event was taken in; its rows are filed under this day. */
  readonly at: Date;
  /** Webhook that a notice is about, and to which the notice is never delivered. */
  readonly aboutWebhookId?: string | undefined;
  /** W3C Trace Context that the event's deliveries belong to. */
  readonly traceparent?: string | undefined;
}

export interface MatchedWebhook extends Matchable {
  readonly version: number;
  /** Shard of the webhook's owner. */
  readonly shard: number;
}

export type WebhooksByUser = ReadonlyMap<string, readonly MatchedWebhook[]>;

export interface JudgedEvent {
  readonly event: IncomingEvent;
  readonly verdicts: Readonly<Record<string, Verdict>>;
}

export type Delivered = 'pending' | 'held';

export interface NewDelivery {
  readonly job: Job;
  /** Time of the event, as its producer says. */
  readonly eventTime: Date;
  readonly verdict: Delivered;
  /** First attempt, which succeeded before the delivery is filed. */
  readonly sent?: AttemptRecord | undefined;
}

export interface IntakeReads {
  /**
   * Returns the webhooks of the users of these events, as they are at the call or later, and which of the events were
   * seen before.
   */
  look(events: readonly IncomingEvent[]): Promise<{
    readonly webhooks: WebhooksByUser;
    /** Values of IncomingEvent.messageId. */
    readonly known: ReadonlySet<string>;
  }>;
}

/** Rows of events, within one transaction. */
export interface IntakeRows {
  /**
   * Files events, and those of the deliveries whose event is filed. Returns the messageIds of events that another
   * replica has filed since they were looked up.
   */
  record(
    events: readonly JudgedEvent[],
    deliveries: readonly NewDelivery[],
  ): Promise<ReadonlySet<string>>;
  /** Counts dropped events: by message, how often each came again. */
  countRepeats(repeats: ReadonlyMap<string, number>): Promise<void>;
  /** Files more deliveries of events that are filed. */
  insertDeliveries(deliveries: readonly NewDelivery[]): Promise<void>;
}

/** An event with the deliveries that follow from it. */
export interface TakenEvent extends JudgedEvent {
  /** Whether the event came before: a repeat is counted, and nothing else. */
  readonly isRepeat: boolean;
  /** Number of webhooks whose filter dropped the event. */
  readonly filtered: number;
  readonly deliveries: readonly Delivery[];
}

export interface Delivery extends NewDelivery {
  /** Whether the dispatcher has the delivery, although it has no row yet. */
  isAhead: boolean;
  /** Result of the attempt that was made ahead. */
  result?: Result | undefined;
  /** First attempt as the transaction files it: a result may still come before the commit. */
  sent?: AttemptRecord | undefined;
}
