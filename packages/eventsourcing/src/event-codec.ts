import type { Event } from './decider.js';

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
  encode(
    streamId: string,
    event: E,
  ): Promise<{ readonly schemaVersion: number; readonly data: object }>;
  decode(streamId: string, stored: StoredData): Promise<E>;
}

/**
 * For each event type its decoders, oldest schema version first, each giving the data of today.
 * The last one is the version that is written. Never take one out: what it reads is stored.
 */
export type Decoders<E extends Event> = {
  readonly [Type in E['type']]: readonly ((data: unknown) => Extract<E, Event<Type>>['data'])[];
};

/** Plain JSON. Stored data is older than the code that reads it, so it is decoded like any input. */
export function jsonCodec<E extends Event>(types: Decoders<E>): EventCodec<E> {
  const decodersOf = (type: string) => {
    const decoders = Object.hasOwn(types, type) ? types[type as E['type']] : [];
    if (decoders.length > 0) return decoders;
    throw new Error(`There is no decoder for events of type ${type}.`);
  };

  return {
    async encode(_, { type, data }) {
      return { schemaVersion: decodersOf(type).length, data };
    },

    async decode(streamId, { type, schemaVersion, data }) {
      const decode = decodersOf(type)[schemaVersion - 1];
      if (!decode) throw new Error(`${type} of schema version ${schemaVersion} has no decoder.`);
      try {
        return { type, data: decode(data) } as unknown as E;
      } catch (cause) {
        const what = `${type} (schema version ${schemaVersion})`;
        throw new Error(`A stored ${what} in ${streamId} does not decode.`, { cause });
      }
    },
  };
}
