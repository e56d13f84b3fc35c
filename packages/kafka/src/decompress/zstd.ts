import { promisify } from 'node:util';
import zlib from 'node:zlib';

/** Node has it from 22.15 on. */
interface WithZstd {
  readonly zstdDecompress?: typeof zlib.gunzip;
}

const { zstdDecompress } = zlib as typeof zlib & WithZstd;
const ofNode = zstdDecompress && promisify(zstdDecompress);

/** Uncompresses Zstandard. Rejects when it would be more than so many bytes, or is damaged. */
export const uncompressZstd = async (bytes: Buffer, maxBytes: number): Promise<Buffer> =>
  ofNode ? ofNode(bytes, { maxOutputLength: maxBytes }) : withPackage(bytes, maxBytes);

async function withPackage(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  const { ZSTDDecoder } = await import('zstddec');
  const decoder = new ZSTDDecoder();
  await decoder.init();
  const { buffer, byteOffset, length } = decoder.decode(bytes, maxBytes);
  // For the decoder an error is no bytes, and a batch is never empty.
  if (length === 0) throw new Error(`it is damaged, or holds more than ${maxBytes} bytes`);
  return Buffer.from(buffer, byteOffset, length);
}
