/** Maximum bytes of a varint of 64 bits. */
const VARINT_BYTES_MAX = 10;

/**
 * Reads records in the format of https://kafka.apache.org/documentation/#record. Throws when the bytes end too early.
 */
export class RecordReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Reads a zigzag varint. Beyond 2^53 the number is not exact. */
  number(): number {
    let zigzag = 0;
    for (let place = 0; place < VARINT_BYTES_MAX; place++) {
      const byte = this.byte();
      zigzag += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    }
    throw new Error('a number in it has no end');
  }

  byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new Error('it ends within a record');
    return byte;
  }

  /** Reads as many bytes as the number before them says; null for -1. */
  bytes(): Buffer | null {
    const length = this.number();
    if (length === -1) return null;
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw new Error('it ends within a record');
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }
}
