import type { IncomingMessage } from 'node:http';
import { RefusedError } from './refused-error.js';

const BODY_BYTES_MAX = 16 * 1024;

/** The body of a posted form. */
export const readForm = async (req: IncomingMessage): Promise<URLSearchParams> =>
  new URLSearchParams(await readBody(req, 'application/x-www-form-urlencoded'));

/** A body of this type and of at most 16 KiB. */
export async function readBody(req: IncomingMessage, type: string): Promise<string> {
  if (req.headers['content-type']?.split(';')[0]?.trim() !== type) {
    throw new RefusedError(415, `The body must be ${type}.`);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) {
      throw new RefusedError(413, `The body is larger than ${BODY_BYTES_MAX} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
