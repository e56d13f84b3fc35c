import type { ServerResponse } from 'node:http';
import type { WebhookEvent } from './event.js';
import { type NodeRequest, rawBodyOfFetch, rawBodyOfNode } from './raw-body.js';
import type { VerificationKeys } from './trusted-keys.js';
import { WebhookVerificationError } from './verification-error.js';
import { type Verifier, type VerifyOptions, verifier } from './verify.js';

/** Keys, or what gives those of the moment: `publishedKeys`. */
export type KeySource = VerificationKeys | (() => Promise<VerificationKeys>);

export interface ReceiveOptions extends VerifyOptions {
  /** Bytes that a body may have. Default: 512 KiB, more than the service sends. */
  readonly bytesMax?: number;
}

/** Takes an event whose signature is right. What it throws makes the service send the event again. */
export type OnWebhookEvent = (event: WebhookEvent, messageId: string) => unknown;

/** Handler in the form that Express, Connect and similar servers call. */
export type WebhookHandler = (
  request: NodeRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

const BYTES_MAX = 512 * 1_024;

/**
 * A handler for Express: reads the raw body, verifies it, gives the event and its webhook-id to
 * `onEvent`, and answers 200 once that is done. A request that is not to be believed is answered 401 (413 when
 * it is too large) with the reason in words; what `onEvent` throws goes to `next`.
 * @throws TypeError for keys or options that can verify nothing, when it is made.
 */
export function webhookHandler(
  keys: KeySource,
  onEvent: OnWebhookEvent,
  options: ReceiveOptions = {},
): WebhookHandler {
  const current = verifierOf(keys, options);
  const { bytesMax = BYTES_MAX } = options;
  const receive: AsyncHandler = async (request, response, next) => {
    try {
      const body = await rawBodyOfNode(request, bytesMax);
      const event = (await current())(body, request.headers);
      await onEvent(event, String(request.headers['webhook-id']));
      response.writeHead(200).end();
    } catch (error) {
      if (error instanceof WebhookVerificationError) refuse(response, error);
      else next(error);
    }
  };
  return (...call) => void receive(...call);
}

type AsyncHandler = (...call: Parameters<WebhookHandler>) => Promise<void>;

/**
 * The event of a fetch `Request`: for Hono, Next.js, workers and other handlers that get one. Reads its body.
 * @throws as `verify` does. Answer a WebhookVerificationError with its `status` and `message`.
 */
export async function verifyRequest(
  request: Request,
  keys: KeySource,
  options: ReceiveOptions = {},
): Promise<WebhookEvent> {
  const current = verifierOf(keys, options);
  const body = await rawBodyOfFetch(request, options.bytesMax ?? BYTES_MAX);
  return (await current())(body, request.headers);
}

function verifierOf(keys: KeySource, options: VerifyOptions): () => Promise<Verifier> {
  if (typeof keys === 'function') return async () => verifier(await keys(), options);
  const fixed = verifier(keys, options);
  return async () => fixed;
}

/** Answers with the error, without waiting for the rest of the request. */
function refuse(response: ServerResponse, { status, message }: WebhookVerificationError): void {
  const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' };
  response.writeHead(status, headers).end(message);
}
