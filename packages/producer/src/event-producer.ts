import type { EventData } from '@junction/contracts';

/** Event of a producer. Its `type` decides what `data` holds. `Data` has the types of data, by kind. */
export type NewEvent<Data extends object = EventData> = {
  readonly [Kind in keyof Data & string]: EventOf<Kind, Data>;
}[keyof Data & string];

export interface EventOf<Kind extends keyof Data, Data extends object = EventData> {
  /**
   * Unique within the source, 1 to 256 printable characters. The same id again is the same event and is
   * delivered once: give your own whenever you may publish it again. Default: a new UUID.
   */
  readonly id?: string;
  readonly type: Kind;
  /** A UUID. */
  readonly userId: string;
  /** An object becomes JSON; bytes are JSON already and reach receivers untouched. 256 KiB at most. */
  readonly data: Data[Kind] | Uint8Array;
  /** Time of the event. Default: when Kafka takes it. */
  readonly time?: Date;
  /**
   * W3C Trace Context (`00-…`) of the event's cause: the deliveries of the event join that trace. An outbox does not
   * keep it. Over gRPC the instrumentation of your OpenTelemetry sends it by itself.
   */
  readonly traceparent?: string;
}

export interface Published {
  /** Id that receivers see as webhook-id. */
  readonly messageId: string;
}

export interface EventProducer<Data extends object = EventData> {
  /**
   * Resolves once Kafka has the event on all in-sync replicas. Rejects with InvalidEventError when it
   * breaks a rule of the topic: it was not published, and never will be. After any other rejection it may
   * have been published all the same: publish it again with the same id.
   */
  publish(event: NewEvent<Data>): Promise<Published>;

  /** Takes nothing more, waits up to 10 s for what is being published, and disconnects. */
  close(): Promise<void>;
}
