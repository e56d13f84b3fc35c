import { types } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JAVA_BATCHES, LZ4_LINKED_BLOCKS, SNAPPY_BARE, ZSTD_FRAME } from '../../test/compressed.js';
import { codecOf } from './decompress.js';

const GZIP = 1;
const SNAPPY = 2;
const LZ4 = 3;
const ZSTD = 4;
const LONG = 'junction '.repeat(10_000);
const SHORT = 'junction '.repeat(20);
/** Bytes of a batch before its records. */
const HEADER_BYTES = 61;

const WRITTEN: readonly (readonly [string, number, Buffer, string])[] = [
  ['gzip', GZIP, gzipSync(LONG), LONG],
  ['bare Snappy', SNAPPY, Buffer.from(SNAPPY_BARE, 'base64'), SHORT],
  ['LZ4 in linked blocks', LZ4, Buffer.from(LZ4_LINKED_BLOCKS, 'base64'), LONG],
  ['Zstandard', ZSTD, Buffer.from(ZSTD_FRAME, 'base64'), LONG],
];

describe('compressed data', () => {
  it.each(WRITTEN)('comes out as it was: %s', async (_, codec, bytes, text) => {
    const found = await codecOf(codec).decompress(bytes, text.length);
    expect(found.toString() === text).toBe(true);
  });

  it.each(WRITTEN)(
    'is refused when it is a byte more than it may be: %s',
    async (_, codec, bytes, text) => {
      const decompress = async () => codecOf(codec).decompress(bytes, text.length - 1);
      await expect(decompress()).rejects.toThrow(/larger|more/);
    },
  );

  it.each([
    ['gzip', GZIP],
    ['snappy', SNAPPY],
    ['lz4', LZ4],
    ['zstd', ZSTD],
  ] as const)('is refused or bounded when it is damaged anywhere: %s', async (name, codec) => {
    const bytes = Buffer.from(JAVA_BATCHES[name], 'base64').subarray(HEADER_BYTES);
    await fc.assert(
      fc.asyncProperty(damage(bytes.length), async ({ end, changes }) => {
        const damaged = Buffer.from(bytes.subarray(0, end));
        for (const [at, byte] of changes) if (at < end) damaged[at] = byte;
        const found = await Promise.resolve()
          .then(() => codecOf(codec).decompress(damaged, 1_000))
          .catch((error: unknown) => error);
        if (Buffer.isBuffer(found)) expect(found.length).toBeLessThanOrEqual(1_000);
        else expect(types.isNativeError(found)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('is refused when a length in it has no end', async () => {
    // A block of LZ4: one literal, and a match whose length goes on for a mebibyte.
    const block = Buffer.concat([
      Buffer.from([0x1f, 0x61, 1, 0]),
      Buffer.alloc(1_024 * 1_024, 0xff),
      Buffer.from([0]),
    ]);
    const frame = Buffer.concat([
      Buffer.from('04224d18607000', 'hex'),
      Buffer.alloc(4),
      block,
      Buffer.alloc(4),
    ]);
    frame.writeUInt32LE(block.length, 7);
    expect(() => codecOf(LZ4).decompress(frame, 16 * 1_024 * 1_024)).toThrow('holds more');
  });
});

const damage = (length: number) =>
  fc.record({
    end: fc.oneof(fc.constant(length), fc.nat(length)),
    changes: fc.array(fc.tuple(fc.nat(length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
  });
