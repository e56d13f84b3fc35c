import { Output } from './output.js';

/** https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md. */
const MAGIC = 0x184d2204;
const VERSION = 1;
/** Maximum sizes of a block by the bits 4 to 6 of the byte BD. */
const BLOCK_BYTES_MAX: Readonly<Record<number, number>> = {
  4: 64 * 1_024,
  5: 256 * 1_024,
  6: 1_024 * 1_024,
  7: 4 * 1_024 * 1_024,
};
const NUMBER_BYTES = 4;
const CONTENT_SIZE_BYTES = 8;
const IS_UNCOMPRESSED = 0x8000_0000;

/** https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md. */
const MATCH_BYTES_MIN = 4;
/** A length that does not fit into its four bits continues in further bytes, up to one that is not full. */
const FOUR_BITS_FULL = 15;
const BYTE_FULL = 255;

/**
 * Uncompresses an LZ4 frame. Checksums are ignored, because the checksum of the batch covers the whole frame.
 *
 * @throws when the result would be more than `maxBytes`, or the frame is damaged
 */
export function uncompressLz4(bytes: Buffer, maxBytes: number): Buffer {
  const { begin, blockBytesMax, hasBlockChecksums } = frameOf(bytes);
  const blocks = blocksOf(bytes, begin, hasBlockChecksums ? NUMBER_BYTES : 0);
  const out = new Output(Math.min(maxBytes, blocks.length * blockBytesMax));
  for (const { block, isCompressed } of blocks) {
    if (isCompressed) uncompressBlock(block, out);
    else out.add(block);
  }
  return out.written();
}

function frameOf(bytes: Buffer) {
  if (bytes.readUInt32LE(0) !== MAGIC) throw new Error('it is no LZ4 frame');
  const flags = bytes.readUInt8(NUMBER_BYTES);
  const blockBytesMax = BLOCK_BYTES_MAX[(bytes.readUInt8(NUMBER_BYTES + 1) >> 4) & 7];
  if (flags >> 6 !== VERSION || blockBytesMax === undefined)
    throw new Error('the LZ4 frame is of another version');
  const hasContentSize = (flags & 0x08) !== 0;
  const hasDictionary = (flags & 0x01) !== 0;
  if (hasDictionary) throw new Error('the LZ4 frame needs a dictionary');
  // Magic number, flags, size of blocks, checksum of these.
  const begin = NUMBER_BYTES + 3 + (hasContentSize ? CONTENT_SIZE_BYTES : 0);
  return { begin, blockBytesMax, hasBlockChecksums: (flags & 0x10) !== 0 };
}

interface Block {
  readonly block: Buffer;
  readonly isCompressed: boolean;
}

function blocksOf(bytes: Buffer, begin: number, checksumBytes: number): readonly Block[] {
  const blocks: Block[] = [];
  for (let at = begin; ; ) {
    const size = bytes.readUInt32LE(at);
    if (size === 0) return blocks;
    const length = size % IS_UNCOMPRESSED;
    at += NUMBER_BYTES;
    if (at + length > bytes.length) throw new Error('the LZ4 frame is cut off');
    blocks.push({ block: bytes.subarray(at, at + length), isCompressed: length === size });
    at += length + checksumBytes;
  }
}

function uncompressBlock(block: Buffer, out: Output): void {
  let at = 0;
  const lengthFrom = (fourBits: number): number => {
    let length = fourBits;
    if (fourBits < FOUR_BITS_FULL) return length;
    for (let more = BYTE_FULL; more === BYTE_FULL; length += more) more = block.readUInt8(at++);
    return length;
  };
  while (at < block.length) {
    const token = block.readUInt8(at++);
    const literals = lengthFrom(token >> 4);
    if (at + literals > block.length) throw new Error('the LZ4 block is cut off');
    out.add(block.subarray(at, at + literals));
    at += literals;
    // The last sequence has literals alone.
    if (at === block.length) return;
    const distance = block.readUInt16LE(at);
    at += 2;
    out.repeat(distance, lengthFrom(token & 0x0f) + MATCH_BYTES_MIN);
  }
}
