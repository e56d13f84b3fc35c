import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { uncompressLz4 } from './lz4.js';
import { uncompressSnappy } from './snappy.js';
import { uncompressZstd } from './zstd.js';

const gunzip = promisify(zlib.gunzip);

interface Codec {
  readonly name: string;
  /**
   * Returns the uncompressed bytes. Rejects when they are more than `maxBytes`, or when the input is not of this codec.
   */
  readonly decompress: (bytes: Buffer, maxBytes: number) => Promise<Buffer> | Buffer;
}

/** Codecs by the three lowest bits of a batch's attributes: https://kafka.apache.org/documentation/#recordbatch. */
const CODECS: Readonly<Record<number, Codec>> = {
  0: { name: 'no compression', decompress: (bytes) => bytes },
  1: {
    name: 'gzip',
    decompress: (bytes, maxOutputLength) => gunzip(bytes, { maxOutputLength }),
  },
  2: { name: 'snappy', decompress: uncompressSnappy },
  3: { name: 'lz4', decompress: uncompressLz4 },
  4: { name: 'zstd', decompress: uncompressZstd },
};

/** Returns the codec of a number in a batch's attributes. For an unknown number the codec throws. */
export const codecOf = (id: number): Codec =>
  CODECS[id] ?? {
    name: `codec ${id}`,
    decompress: () => {
      throw new Error('no such codec is known');
    },
  };
