import { promisify } from 'node:util';
import zlib from 'node:zlib';

/** Node's own Zstandard, which exists from 22.15 on. */
interface WithZstd {
  readonly zstdDecompress?: typeof zlib.gunzip;
}

const { zstdDecompress } = zlib as typeof zlib & WithZstd;
const ofNode = zstdDecompress && promisify(zstdDecompress);

/** Uncompresses Zstandard. Rejects when the result would be more than `maxBytes`, or the input is damaged. */
export const uncompressZstd = async (bytes: Buffer, maxBytes: number): Promise<Buffer> =>
  ofNode ? ofNode(bytes, { maxOutputLength: maxBytes }) : withPackage(bytes, maxBytes);

async function withPackage(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  const { ZSTDDecoder } = await import('zstddec');
  const decoder = new ZSTDDecoder();
  await decoder.init();
  const { buffer, byteOffset, length } = decoder.decode(bytes, maxBytes);
  // The decoder returns no bytes on an error, and a batch is never empty.
  if (length === 0) throw new Error(`it is damaged, or holds more than ${maxBytes} bytes`);
  return Buffer.from(buffer, byteOffset, length);
}
