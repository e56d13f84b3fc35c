/** What happened, as a producer says it. */
export interface NewEvent {
  /**
   * Unique within the source, 1 to 256 printable characters. The same id again is the same event and is
   * delivered once: give your own whenever you may publish it again. Default: a new UUID.
   */
  readonly id?: string;
  /** One of EVENT_KINDS. */
  readonly type: string;
  /** A UUID. */
  readonly userId: string;
  /** An object becomes JSON; bytes are JSON already and reach receivers untouched. 256 KiB at most. */
  readonly data: object | Uint8Array;
  /** When it happened. Default: when Kafka takes it. */
  readonly time?: Date;
}

export interface Published {
  /** What receivers see as webhook-id. */
  readonly messageId: string;
}

export interface EventProducer {
  /**
   * Resolves once Kafka has the event on all in-sync replicas. Rejects with InvalidEventError, before
   * anything is sent, when it breaks a rule of the topic. After any other rejection it may have been
   * published all the same: publish it again with the same id.
   */
  publish(event: NewEvent): Promise<Published>;

  /** Waits for nothing: await what you have published before. */
  close(): Promise<void>;
}
