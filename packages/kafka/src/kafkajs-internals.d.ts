// The internals of kafkajs that we reach into; see request-queue-patch.ts and its neighbours.
declare module 'kafkajs/src/network/requestQueue/index.js' {
  interface QueuedRequest {
    readonly entry: { readonly correlationId: number };
    readonly expectResponse: boolean;
    readonly sendRequest: () => void;
    readonly requestTimeout?: number;
  }

  interface SentRequest {
    readonly entry?: object;
    readonly sendRequest?: () => void;
    readonly timeoutHandler?: () => void;
    readonly sentAt: number;
    readonly requestTimeout: number;
    timeoutRequest(): void;
  }

  export default class RequestQueue {
    constructor(options: {
      maxInFlightRequests: number | null;
      requestTimeout: number;
      enforceRequestTimeout: boolean;
      clientId: string;
      broker: string;
      logger: { debug(message: string): void; warn(message: string): void };
      isConnected?: () => boolean;
    });
    readonly enforceRequestTimeout: boolean;
    readonly requestTimeout: number;
    readonly isConnected: () => boolean;
    readonly inflight: ReadonlyMap<number, SentRequest>;
    requestTimeoutIntervalId: NodeJS.Timeout | undefined;
    readonly pending: readonly unknown[];
    throttledUntil: number;
    throttleCheckTimeoutId: NodeJS.Timeout | null;
    maybeThrottle(ms: number): void;
    push(request: QueuedRequest): void;
    fulfillRequest(response: { correlationId: number; payload: Buffer; size: number }): void;
    checkPendingRequests(): void;
    scheduleCheckPendingRequests(): void;
    scheduleRequestTimeoutCheck(): void;
    destroy(): void;
  }
}

declare module 'kafkajs/src/consumer/subscriptionState.js' {
  interface TopicPartitions {
    readonly topic: string;
    readonly partitions: number[];
  }

  export default class SubscriptionState {
    assign(partitions: readonly TopicPartitions[]): void;
    pause(partitions: readonly TopicPartitions[]): void;
    resume(partitions: readonly TopicPartitions[]): void;
    paused(): readonly TopicPartitions[];
  }
}

declare module 'kafkajs/src/consumer/consumerGroup.js' {
  import type SubscriptionState from 'kafkajs/src/consumer/subscriptionState.js';

  interface Batch {
    /** Messages before any are filtered away. */
    readonly rawMessages: readonly unknown[];
  }

  export default class ConsumerGroup {
    readonly subscriptionState: SubscriptionState;
    /** Milliseconds that a fetch waits when it finds nothing. */
    maxWaitTime: number;
    fetch(nodeId: string): Promise<readonly Batch[]>;
  }
}

declare module 'kafkajs/src/protocol/encoder.js' {
  export default class Encoder {
    constructor(initialSize?: number);
    readonly buf: Buffer;
    offset: number;
    /** Bytes written so far. */
    readonly buffer: Buffer;
    ensureAvailable(length: number): void;
    writeInt8(value: number): this;
    writeInt32(value: number): this;
    writeInt64(value: string | number): this;
    writeVarInt(value: number): this;
    writeUVarInt(value: number): this;
    writeUVarIntString(value: string): this;
    writeBoolean(value: boolean): this;
    writeBuffer(value: Buffer): this;
    writeNullableArray(values: readonly string[]): this;
  }
}

declare module 'kafkajs/src/broker/index.js' {
  export interface BrokerLogger {
    error(message: string, fields: object): void;
  }

  export interface FetchRequest {
    readonly isolationLevel: number;
    readonly maxWaitTime: number;
    readonly minBytes: number;
    readonly maxBytes: number;
    readonly rackId: string;
    readonly topics: readonly {
      readonly topic: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly fetchOffset: string;
        readonly maxBytes: number;
        /** Added by us, as below. */
        readonly topicId?: string | undefined;
      }[];
    }[];
    readonly sessionId?: number;
    readonly sessionEpoch?: number;
    readonly forgottenTopics?: readonly {
      readonly topic: string;
      readonly topicId?: string | undefined;
      readonly partitions: readonly number[];
    }[];
  }

  /** A request, and how its response is read. */
  export interface Exchange {
    readonly request: object;
    readonly response: { readonly decode: (payload: Buffer) => Promise<object> };
  }

  export interface FetchResponse {
    /** Absent before version 7. */
    readonly errorCode?: number;
    readonly sessionId?: number;
  }

  export interface MetadataTopic {
    readonly topicErrorCode: number;
    readonly topic: string;
    /** Bits of what may be done, from version 8 on. */
    readonly operations?: number;
    /** Present from version 10 on. */
    readonly topicId?: string | undefined;
  }

  /** Has a method for each kind of request. */
  export default class Broker {
    readonly logger: BrokerLogger;
    /** Versions that the broker knows, by the numbers of requests. */
    readonly versions: Readonly<Record<number, { readonly maxVersion: number }>>;
    metadata(
      topics: readonly string[],
    ): Promise<{ readonly topicMetadata: readonly MetadataTopic[] }>;
    readonly lookupRequest: (
      apiKey: number,
      definitions: object,
    ) => (request: FetchRequest) => Exchange;
    fetch(request: FetchRequest): Promise<FetchResponse>;
    leaveGroup(member: object): Promise<object>;
  }
}

declare module 'kafkajs/src/protocol/requests/index.js' {
  import type { Exchange, FetchRequest } from 'kafkajs/src/broker/index.js';

  const protocol: {
    readonly requests: {
      readonly Fetch: {
        protocol(version: object): (request: FetchRequest) => Exchange;
      };
    };
  };
  export default protocol;
}

declare module 'kafkajs/src/network/socketFactory.js' {
  import type { ISocketFactory } from 'kafkajs';

  export default function socketFactory(): ISocketFactory;
}

declare module 'kafkajs/src/protocol/decoder.js' {
  export default class Decoder {
    constructor(bytes: Buffer);
    readInt16(): number;
    readInt32(): number;
    readInt64(): bigint;
    readUVarInt(): number;
    readBoolean(): boolean;
    readString(): string | null;
    readUVarIntString(): string | null;
    /** Reads as many bytes as is said here or by the number before them; null for -1. */
    readBytes(byteLength?: number): Buffer | null;
    forward(bytes: number): void;
    readArray<T>(read: () => T): T[];
    readArrayAsync<T>(read: () => Promise<T>): Promise<T[]>;
  }
}

declare module 'kafkajs/src/protocol/requests/fetch/v11/response.js' {
  const response: { decode: (payload: Buffer) => Promise<object> };
  export default response;
}

declare module 'kafkajs/src/protocol/recordBatch/record/v0/index.js' {
  import type Encoder from 'kafkajs/src/protocol/encoder.js';

  export default function encodeRecord(record: {
    readonly offsetDelta: number;
    readonly key: string;
    readonly value: string;
    readonly headers: Readonly<Record<string, string>>;
  }): Encoder;
}

declare module 'kafkajs/src/protocol/recordBatch/v0/index.js' {
  import type Encoder from 'kafkajs/src/protocol/encoder.js';

  /** Numbers may be of 64 bits. */
  export function RecordBatch(batch: {
    readonly firstOffset: number;
    readonly lastOffsetDelta: number;
    readonly records: readonly Encoder[];
    readonly compression?: number;
    readonly transactional?: boolean;
    readonly producerId?: number;
  }): Promise<Encoder>;
}
