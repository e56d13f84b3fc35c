const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;

type Place =
  | 'size'
  | 'extension'
  | 'end of size'
  | 'data'
  | 'end of data'
  | 'line feed of data'
  | 'trailer'
  | 'in trailer'
  | 'end of trailer'
  | 'end'
  | 'whole'
  | 'broken';

/** Reads the chunked coding around its data (RFC 9112, section 7.1), byte by byte and to the letter. */
export class ChunkFraming {
  #place: Place = 'size';
  #size = 0;
  #digits = 0;

  /** How the body has ended; undefined: the data of a chunk comes next, or more of the framing. */
  get end(): 'whole' | 'broken' | undefined {
    const place = this.#place;
    return place === 'whole' || place === 'broken' ? place : undefined;
  }

  /** Bytes of data that come next; 0: none before more of the framing has been read. */
  get size(): number {
    return this.#place === 'data' ? this.#size : 0;
  }

  /** Reads on behind the data of a chunk, up to the next data or the end of the body. Returns the place behind it. */
  read(bytes: Uint8Array, from: number, length: number): number {
    if (this.#place === 'data') this.#place = 'end of data';
    let at = from;
    while (at < length && this.size === 0 && this.end === undefined) {
      this.#place = this.#after(bytes[at++] as number);
    }
    return at;
  }

  #after(byte: number): Place {
    switch (this.#place) {
      case 'size':
        return this.#afterSize(byte);
      case 'extension':
        if (byte === CR) return 'end of size';
        return byte === LF ? 'broken' : 'extension';
      case 'end of size':
        if (byte !== LF) return 'broken';
        return this.#size === 0 ? 'trailer' : 'data';
      case 'end of data':
        return byte === CR ? 'line feed of data' : 'broken';
      case 'line feed of data':
        [this.#size, this.#digits] = [0, 0];
        return byte === LF ? 'size' : 'broken';
      case 'trailer':
        if (byte === CR) return 'end';
        return byte === LF ? 'broken' : 'in trailer';
      case 'in trailer':
        if (byte === CR) return 'end of trailer';
        return byte === LF ? 'broken' : 'in trailer';
      case 'end of trailer':
        return byte === LF ? 'trailer' : 'broken';
      case 'end':
        return byte === LF ? 'whole' : 'broken';
      default:
        return this.#place;
    }
  }

  #afterSize(byte: number): Place {
    const digit = Number.parseInt(String.fromCharCode(byte), 16);
    if (!Number.isNaN(digit)) {
      this.#digits++;
      this.#size = this.#size * 16 + digit;
      return Number.isSafeInteger(this.#size) ? 'size' : 'broken';
    }
    if (this.#digits === 0) return 'broken';
    if (byte === CR) return 'end of size';
    return byte === SEMICOLON ? 'extension' : 'broken';
  }
}
