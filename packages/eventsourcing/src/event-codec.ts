import { AppendRefusedError } from './append-refused-error.js';
import type { Event } from './decider.js';
import { UnreadableEventError } from './unreadable-event-error.js';

/** What the store reads back before anyone has looked at it. */
export interface StoredData {
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: unknown;
}

/**
 * Between events and what is stored of them. Asynchronous, because personal fields are sealed here
 * with keys that live elsewhere.
 */
export interface EventCodec<E extends Event> {
  /** Refuses (AppendRefusedError) what it could not read back. */
  encode(
    streamId: string,
    event: E,
  ): Promise<{ readonly schemaVersion: number; readonly data: object }>;
  /** Throws UnreadableEventError. */
  decode(streamId: string, stored: StoredData): Promise<E>;
  /** Every schema version that it reads, by type: each has a golden file. */
  readonly versions: Readonly<Record<string, number>>;
}

/** Checks stored data and gives them their type. Throws when they do not fit. */
type Decode<Data> = (data: unknown) => Data;

/** How an event's data are read, in whichever schema version they were stored. */
export interface Schema<Data> {
  /** By schema version, from 1: stored data to data of today. The last one is the version written. */
  readonly decoders: readonly Decode<Data>[];
}

/** A schema, and how to give it a next version. */
export interface GrowingSchema<Data> extends Schema<Data> {
  /**
   * What is written from now on, and how data of the version before become it. Those of versions
   * before that come through the whole chain. Never take a version out: what it reads is stored.
   */
  next<Next>(decode: Decode<Next>, upcast: (before: Data) => Next): GrowingSchema<Next>;
}

/** Version 1: `schema(v1.parse)`. With its successors: `schema(v1.parse).next(v2.parse, (old) => …)`. */
export const schema = <Data>(decode: Decode<Data>): GrowingSchema<Data> => growing([decode]);

const growing = <Data>(decoders: readonly Decode<Data>[]): GrowingSchema<Data> => ({
  decoders,
  next: (decode, upcast) =>
    growing([...decoders.map((older) => (data: unknown) => upcast(older(data))), decode]),
});

/** For each event type how its data are read. */
export type Schemas<E extends Event> = {
  readonly [Type in E['type']]: Schema<Extract<E, Event<Type>>['data']>;
};

/** Plain JSON. Stored data are older than the code that reads them, so they are decoded like any input. */
export function jsonCodec<E extends Event>(schemas: Schemas<E>): EventCodec<E> {
  const decodersOf = (type: string): readonly Decode<object>[] =>
    Object.hasOwn(schemas, type) ? schemas[type as E['type']].decoders : [];

  return {
    versions: Object.fromEntries(
      Object.keys(schemas).map((type) => [type, decodersOf(type).length]),
    ),

    async encode(streamId, { type, data }) {
      const decoders = decodersOf(type);
      checkNew(streamId, { type, data }, decoders.at(-1));
      return { schemaVersion: decoders.length, data };
    },

    async decode(streamId, stored) {
      const data = decodeStored(streamId, stored, decodersOf(stored.type));
      return { type: stored.type, data } as unknown as E;
    },
  };
}

function checkNew(streamId: string, { type, data }: Event, newest?: Decode<object>): void {
  if (!newest) {
    throw new AppendRefusedError('event_type_unknown', `Nobody registered the event type ${type}.`);
  }
  try {
    newest(data);
  } catch (cause) {
    const message = `A new ${type} for ${streamId} does not fit its own schema.`;
    throw new AppendRefusedError('event_data_invalid', message, { cause });
  }
}

function decodeStored(
  streamId: string,
  { type, schemaVersion, data }: StoredData,
  decoders: readonly Decode<object>[],
): object {
  const what = `A stored ${type} (schema version ${schemaVersion}) in ${streamId}`;
  if (decoders.length === 0) {
    throw new UnreadableEventError('type_unknown', `${what} is of a type unknown here.`);
  }
  const decode = decoders[schemaVersion - 1];
  if (!decode) {
    const known = `versions 1 to ${decoders.length} are known here`;
    throw new UnreadableEventError('version_unknown', `${what} cannot be read: ${known}.`);
  }
  try {
    return decode(data);
  } catch (cause) {
    throw new UnreadableEventError('data_unfit', `${what} does not decode.`, { cause });
  }
}
