import type { Response } from 'express';
import { z } from 'zod';

const BODY_BYTES_MAX = 256 * 1_024;
/** Lowest status that says that nothing was done: a corrected request may come under the same key. */
const REFUSED = 400;
const HEADERS = ['content-type', 'etag', 'location'];

const stored = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

/**
 * Calls `keep` with the answer before its first byte leaves, so that a caller who has seen an answer gets the same
 * answer to a repeat. `keep(undefined)`: this answer is not to be repeated.
 */
export function recordAnswer(
  res: Response,
  keep: (answer: Buffer | undefined) => Promise<void>,
): void {
  const end = res.end.bind(res) as (...args: unknown[]) => Response;

  // express answers through end(body, encoding); a handler that streams has sent its headers before.
  res.end = ((...args: unknown[]) => {
    res.end = end as Response['end'];
    const answer = res.headersSent ? undefined : toStored(res, args);
    // The answer is given from here on: a handler that fails after it cannot send another answer.
    if (!res.headersSent) res.writeHead(res.statusCode);
    void keep(answer).finally(() => end(...args));
    return res;
  }) as Response['end'];
}

function toStored(res: Response, [chunk, encoding]: readonly unknown[]): Buffer | undefined {
  const { statusCode: status } = res;
  const body = bytesOf(chunk, encoding);
  if (status >= REFUSED || body.length > BODY_BYTES_MAX) return undefined;

  const headers = HEADERS.map((name) => [name, res.getHeader(name)] as const).filter(
    ([, value]) => typeof value === 'string',
  );
  const answer = { status, headers: Object.fromEntries(headers), body: body.toString('base64') };
  return Buffer.from(JSON.stringify(answer));
}

function bytesOf(chunk: unknown, encoding: unknown): Buffer {
  if (typeof chunk === 'string') {
    return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
  }
  return chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.alloc(0);
}

/** Sends a kept answer, and says that it is one. */
export function replayAnswer(answer: Buffer, res: Response): void {
  const { status, headers, body } = stored.parse(JSON.parse(answer.toString()));
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.setHeader('idempotent-replayed', 'true');
  res.status(status).end(Buffer.from(body, 'base64'));
}
