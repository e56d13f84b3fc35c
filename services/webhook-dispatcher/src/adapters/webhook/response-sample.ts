import type { Readable } from 'node:stream';

/** What is kept of a response. */
export const SAMPLE_BYTES_MAX = 16 * 1_024;
/** Read on to here so that the connection can be used again; beyond it the connection is cut. */
const DISCARDED_BYTES_MAX = 128 * 1_024;

/** How a body was read. */
export interface ResponseSample {
  readonly sample: Buffer;
  /** What cut it off; undefined: it came whole, or more than is read of any. */
  readonly error?: unknown;
}

/** The beginning of a body, the rest discarded. Nothing is decompressed: a few bytes could be many. */
export async function readSample(body: Readable): Promise<ResponseSample> {
  const kept: Buffer[] = [];
  try {
    await readInto(kept, body);
    return { sample: Buffer.concat(kept) };
  } catch (error) {
    return { sample: Buffer.concat(kept), error };
  }
}

async function readInto(kept: Buffer[], body: Readable): Promise<void> {
  let keptBytes = 0;
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, SAMPLE_BYTES_MAX - keptBytes);
    if (part.length > 0) kept.push(part);
    keptBytes += part.length;
    bytes += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (bytes > DISCARDED_BYTES_MAX) break;
  }
}
