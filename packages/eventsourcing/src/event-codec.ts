import { AppendRefusedError } from './append-refused-error.js';
import type { DataOf, Event } from './decider.js';
import { UnreadableEventError } from './unreadable-event-error.js';

/** An event as the store reads it back, before its data is checked. */
export interface StoredData {
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: unknown;
}

/**
 * Converts between events and stored data. Asynchronous, because personal fields are sealed here with keys that are
 * kept elsewhere.
 */
export interface EventCodec<E extends Event> {
  /** Throws AppendRefusedError for data that could not be read back. */
  encode(
    streamId: string,
    event: E,
  ): Promise<{ readonly schemaVersion: number; readonly data: object }>;
  /** Throws UnreadableEventError when the data cannot be read. */
  decode(streamId: string, stored: StoredData): Promise<E>;
  /** Number of schema versions that the codec reads, by event type. Each version has a golden file. */
  readonly versions: Readonly<Record<string, number>>;
}

/** Checks stored data and returns it with its type. Throws when the data does not fit. */
type Decode<Data> = (data: unknown) => Data;

/** Decoders of an event's data, for every schema version ever stored. */
export interface Schema<Data> {
  /**
   * Decoders by schema version, from 1: each turns stored data into today's. The last decoder is that of the version
   * written now.
   */
  readonly decoders: readonly Decode<Data>[];
}

/** A schema that can be given a next version. */
export interface GrowingSchema<Data> extends Schema<Data> {
  /**
   * Adds the version that is written from now on. `upcast` turns data of the version before into the new version; data
   * of older versions passes through the whole chain. Never remove a version: data in its form is stored.
   */
  next<Next>(decode: Decode<Next>, upcast: (before: Data) => Next): GrowingSchema<Next>;
}

/**
 * Creates the schema of version 1: `schema(v1.parse)`, or with later versions: `schema(v1.parse).next(v2.parse, (old)
 * => …)`.
 */
export const schema = <Data>(decode: Decode<Data>): GrowingSchema<Data> => growing([decode]);

const growing = <Data>(decoders: readonly Decode<Data>[]): GrowingSchema<Data> => ({
  decoders,
  next: (decode, upcast) =>
    growing([...decoders.map((older) => (data: unknown) => upcast(older(data))), decode]),
});

/** Schema of each event type. */
export type Schemas<E extends Event> = {
  readonly [Type in E['type']]: Schema<DataOf<E, Type>>;
};

/**
 * Returns a codec for plain JSON. Stored data is older than the code that reads it, so it is decoded like any input.
 */
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
