import type { IncomingMessage } from 'node:http';
import { WebhookVerificationError } from './verification-error.js';

/** Request that other middleware may have read, with the body that it kept. */
export type NodeRequest = IncomingMessage & {
  readonly body?: unknown;
  readonly rawBody?: unknown;
};

/**
 * The body as it came: kept by middleware before us (express.raw, or `rawBody`), else read here.
 * @throws TypeError when a parser has read it and kept nothing.
 */
export async function rawBodyOfNode(request: NodeRequest, bytesMax: number): Promise<Uint8Array> {
  for (const kept of [request.rawBody, request.body]) {
    if (kept instanceof Uint8Array) return kept;
  }
  if (!request.readableDidRead) return readNode(request, bytesMax);
  throw new TypeError(
    'The body was read before webhookHandler. Mount it before express.json(), or keep the bytes: ' +
      'express.json({ verify: (req, _res, bytes) => { req.rawBody = bytes; } })',
  );
}

/**
 * Reads the body without `for await`: leaving such a loop early closes the connection, and no answer would go out.
 */
async function readNode(request: NodeRequest, bytesMax: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    const take = (chunk: Uint8Array) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= bytesMax) return;
      request.off('data', take).pause();
      reject(tooLarge(bytesMax));
    };
    request.on('data', take);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', reject);
  });
}

/** @throws TypeError when somebody has read it. */
export async function rawBodyOfFetch(
  { body, bodyUsed }: Request | Response,
  bytesMax: number,
): Promise<Buffer> {
  if (bodyUsed) {
    throw new TypeError('The body was read before verifyRequest: give it the request unread.');
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = body?.getReader();
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (value === undefined) return Buffer.concat(chunks);
    chunks.push(value);
    bytes += value.length;
    if (bytes <= bytesMax) continue;
    await reader?.cancel();
    throw tooLarge(bytesMax);
  }
}

const tooLarge = (bytesMax: number) =>
  new WebhookVerificationError('body_too_large', `The body has more than ${bytesMax} bytes.`);
