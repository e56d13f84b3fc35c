import { expect, it } from '@jest/globals';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import { writeNumbersInPlace } from './encoder-patch.js';

const { writeUVarInt } = Encoder.prototype;

const BORDERS = [0, 1, -1, 63, 64, -64, -65, 8_191, 8_192, -8_193, 2 ** 31 - 1, -(2 ** 31)];
const NUMBERS = BORDERS.concat(Array.from({ length: 31 }, (_, bit) => 2 ** bit));

it('writes every number as kafkajs does, growing as it goes', () => {
  const asShipped = written();
  writeNumbersInPlace();
  try {
    expect(written()).toEqual(asShipped);
  } finally {
    Encoder.prototype.writeUVarInt = writeUVarInt;
  }
});

function written(): { signed: string; unsigned: string } {
  const signed = new Encoder(1);
  const unsigned = new Encoder(1);
  for (const number of NUMBERS) {
    signed.writeVarInt(number);
    unsigned.writeUVarInt(number);
  }
  return { signed: signed.buffer.toString('hex'), unsigned: unsigned.buffer.toString('hex') };
}
