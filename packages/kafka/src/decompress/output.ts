/** Bytes that are uncompressed so far. LZ4 and Snappy repeat parts of them. */
export class Output {
  readonly #bytes: Buffer;
  #length = 0;

  /** Allocates room for so many bytes; no more can be added. */
  constructor(bytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(bytes);
  }

  add(some: Buffer): void {
    this.#require(some.length);
    this.#length += some.copy(this.#bytes, this.#length);
  }

  /** Repeats `count` bytes that begin `distance` bytes back. The repeated part may reach into the bytes being added. */
  repeat(distance: number, count: number): void {
    this.#require(count);
    if (distance === 0 || distance > this.#length) throw new Error('it repeats what is not there');
    const from = this.#length - distance;
    // Behind `from` the same bytes come again and again, so each round copies as much as all before it.
    for (let done = 0; done < count; ) {
      const some = Math.min(count - done, distance + done);
      this.#bytes.copyWithin(this.#length + done, from, from + some);
      done += some;
    }
    this.#length += count;
  }

  /** Returns a copy, because the written bytes may be far fewer than the allocated ones. */
  written(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  #require(count: number): void {
    if (this.#length + count > this.#bytes.length) {
      throw new Error('it holds more than it says, or than it may');
    }
  }
}
