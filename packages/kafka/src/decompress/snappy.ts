import { Output } from './output.js';

/** Magic bytes of the format of Java clients and brokers: blocks, each after its length, behind two version numbers. */
const XERIAL = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const XERIAL_HEADER_BYTES = 16;
const LENGTH_BYTES = 4;

/** A literal of this many bytes or more has its length in the one to four bytes behind its tag. */
const SHORT_LITERAL_MAX = 60;
const VARINT_BYTES_MAX = 5;

/**
 * Uncompresses Snappy, in the frames of snappy-java or bare, as librdkafka writes it.
 *
 * @throws when the result would be more than `maxBytes`, or the input is damaged
 */
export function uncompressSnappy(bytes: Buffer, maxBytes: number): Buffer {
  if (!bytes.subarray(0, XERIAL.length).equals(XERIAL)) return uncompressBlock(bytes, maxBytes);

  const blocks: Buffer[] = [];
  let left = maxBytes;
  for (let at = XERIAL_HEADER_BYTES; at < bytes.length; ) {
    const begin = at + LENGTH_BYTES;
    at = begin + bytes.readUInt32BE(at);
    if (at > bytes.length) throw new Error('the Snappy frame is cut off');
    const block = uncompressBlock(bytes.subarray(begin, at), left);
    left -= block.length;
    blocks.push(block);
  }
  return Buffer.concat(blocks);
}

/** https://github.com/google/snappy/blob/main/format_description.txt. */
function uncompressBlock(block: Buffer, maxBytes: number): Buffer {
  const { length, begin } = lengthOf(block);
  let at = begin;
  if (length > maxBytes) throw new Error(`it holds more than ${maxBytes} bytes`);
  const out = new Output(length);
  const number = (bytes: number): number => {
    at += bytes;
    return block.readUIntLE(at - bytes, bytes);
  };
  const copyLiteral = (tag: number): void => {
    const begins = tag >> 2;
    const count =
      1 + (begins < SHORT_LITERAL_MAX ? begins : number(begins + 1 - SHORT_LITERAL_MAX));
    if (at + count > block.length) throw new Error('the Snappy block is cut off');
    out.add(block.subarray(at, at + count));
    at += count;
  };
  while (at < block.length) {
    const tag = number(1);
    const kind = tag & 3;
    if (kind === 0) copyLiteral(tag);
    else if (kind === 1) out.repeat(((tag >> 5) << 8) | number(1), 4 + ((tag >> 2) & 7));
    else out.repeat(number(kind === 2 ? 2 : 4), 1 + (tag >> 2));
  }
  return out.written();
}

/** Returns the uncompressed length, and where the compressed bytes begin. */
function lengthOf(block: Buffer): { readonly length: number; readonly begin: number } {
  let length = 0;
  for (let at = 0; at < VARINT_BYTES_MAX; at++) {
    const byte = block.readUInt8(at);
    length += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return { length, begin: at + 1 };
  }
  throw new Error('it does not begin as Snappy does');
}
