import Decoder from 'kafkajs/src/protocol/decoder.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';

const UUID_BYTES = 16;
/** Id of a topic that has none, or that is named by its name. */
export const NO_ID = Buffer.alloc(UUID_BYTES);
const NO_FIELDS = 0;

/**
 * Reads answers of flexible versions (KIP-482): lengths are shorter, and each structure ends with fields that may be
 * skipped. kafkajs 2.2.4 can write and read the lengths, and miscounts the fields.
 */
export class FlexibleDecoder extends Decoder {
  constructor(bytes: Buffer) {
    super(bytes);
    this.#skipFields(); // those of the header
  }

  override readString(): string | null {
    return this.readUVarIntString();
  }

  override readBytes(): Buffer | null {
    return super.readBytes(this.readUVarInt() - 1);
  }

  /** Reads an array of structures. */
  override readArray<T>(read: () => T): T[] {
    return Array.from({ length: this.#count() }, () => {
      const item = read();
      this.#skipFields();
      return item;
    });
  }

  override async readArrayAsync<T>(read: () => Promise<T>): Promise<T[]> {
    const items: T[] = [];
    for (let left = this.#count(); left > 0; left--) {
      items.push(await read());
      this.#skipFields();
    }
    return items;
  }

  readInts(): number[] {
    return Array.from({ length: this.#count() }, () => this.readInt32());
  }

  /** Reads a topic's id in the words of Kafka's tools: 22 characters of base64url. */
  readTopicId(): string | undefined {
    const id = super.readBytes(UUID_BYTES);
    return id === null || id.equals(NO_ID) ? undefined : id.toString('base64url');
  }

  #count(): number {
    return Math.max(0, this.readUVarInt() - 1);
  }

  #skipFields(): void {
    for (let left = this.readUVarInt(); left > 0; left--) {
      this.readUVarInt();
      this.forward(this.readUVarInt());
    }
  }
}

/** Begins the body of a request of a flexible version, whose header ends with fields. */
export const flexibleEncoder = (): Encoder => new Encoder().writeUVarInt(NO_FIELDS);

/** Writes an array of structures without fields of their own. */
export function writeStructures<T>(
  to: Encoder,
  items: readonly T[],
  write: (item: T) => void,
): void {
  to.writeUVarInt(items.length + 1);
  for (const item of items) {
    write(item);
    to.writeUVarInt(NO_FIELDS);
  }
}

export const topicIdBytes = (id: string): Buffer => Buffer.from(id, 'base64url');
