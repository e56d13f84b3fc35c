import Encoder from 'kafkajs/src/protocol/encoder.js';

const VAR_INT_BYTES_MAX = 5;

/**
 * Writes a number of kafkajs 2.2.4 where it belongs. It ships with an array and a Buffer for each, and a record
 * with ten headers has some twenty-five numbers: a quarter of what encoding it costs.
 */
export function writeNumbersInPlace(): void {
  Encoder.prototype.writeUVarInt = function inPlace(value) {
    this.ensureAvailable(VAR_INT_BYTES_MAX);
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.buf[this.offset++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.buf[this.offset++] = rest;
    return this;
  };
}
