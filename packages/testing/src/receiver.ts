import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  ServerResponse,
} from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CertificateAuthority } from './certificate-authority.js';
import { certificateAuthority } from './certificate-authority.js';
import { type Listening, listening } from './listening.js';

/** Deadline beyond the half minute for which a busy machine may stand still. A request that comes is seen at once. */
const DEADLINE_MS = 45_000;
/** Above what any gateway passes on. */
const HEADERS_MAX_BYTES = 131_072;
/** A test that receives more than this has gone wrong. */
const REQUESTS_MAX = 100_000;

/** A request as it came. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The bytes, untouched: what a signature is computed over. */
  readonly body: Buffer;
  /** When its last byte was there, ms since the epoch. */
  readonly atMs: number;
}

/**
 * The behaviour of the receiver: an answer, after a while; no answer ever; a closed connection; or one that breaks
 * off amid the answer.
 */
export type Answer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Buffer;
      readonly delayMs?: number;
      /** Delays the answer until this promise has resolved. */
      readonly after?: Promise<void>;
    }
  | 'hang'
  | 'close'
  | 'break off';

/** A webhook endpoint of somebody else's. */
export interface Receiver {
  /** Address without a path or a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Certificate of the authority, PEM, when the receiver uses TLS; `caFile` is the file that holds it. */
  readonly ca: string | undefined;
  readonly caFile: string | undefined;
  /** Requests in the order of arrival. */
  readonly requests: readonly ReceivedRequest[];
  /** Changes the answer to later requests; until then, the receiver answers 200 with an empty body. */
  answer(answer: Answer | ((request: ReceivedRequest) => Answer)): void;
  /** The first request like this, past or to come. Throws after the deadline, saying what came. */
  waitFor(
    isWanted: (request: ReceivedRequest) => boolean,
    deadlineMs?: number,
  ): Promise<ReceivedRequest>;
  /** Forgets what came. */
  clear(): void;
  close(): Promise<void>;
}

/** Starts a receiver on 127.0.0.1. With `tls` its certificate is of an authority made for it. */
export async function startReceiver({ tls = false } = {}): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const waiting = new Set<(request: ReceivedRequest) => void>();
  let answer: Answer | ((request: ReceivedRequest) => Answer) = {};

  const onRequest = async (message: IncomingMessage, response: ServerResponse) => {
    const request = await received(message);
    if (requests.push(request) > REQUESTS_MAX) throw new Error('Too many requests to remember.');
    for (const notice of waiting) notice(request);
    await give(typeof answer === 'function' ? answer(request) : answer, response);
  };
  const listener: RequestListener = (message, response) => {
    onRequest(message, response).catch((error: unknown) => response.destroy(error as Error));
  };
  const authority = tls ? await certificateAuthority() : undefined;
  const { port, close } = await served(listener, authority);

  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    ca: authority?.certificate,
    caFile: authority?.file,
    requests,
    answer: (next) => void (answer = next),
    waitFor: (isWanted, deadlineMs = DEADLINE_MS) =>
      firstOf(requests, waiting, isWanted, deadlineMs),
    clear: () => void requests.splice(0),
    async close() {
      await close();
      await authority?.close();
    },
  };
}

const served = async (
  listener: RequestListener,
  authority: CertificateAuthority | undefined,
): Promise<Listening> =>
  listening(
    authority
      ? https.createServer(await authority.issue(), listener)
      : http.createServer({ maxHeaderSize: HEADERS_MAX_BYTES }, listener),
  );

async function received(message: IncomingMessage): Promise<ReceivedRequest> {
  const { method = '', url: path = '', headers } = message;
  const body = await buffer(message);
  return { method, path, headers, body, atMs: Date.now() };
}

async function give(answer: Answer, response: ServerResponse): Promise<void> {
  if (answer === 'hang') return;
  if (answer === 'close') {
    response.socket?.destroy();
    return;
  }
  if (answer === 'break off') {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('The first half', () => response.socket?.destroy());
    return;
  }
  const { status = 200, headers = {}, body = '', delayMs = 0, after } = answer;
  await after;
  if (delayMs > 0) await sleep(delayMs);
  response.writeHead(status, headers).end(body);
}

function firstOf(
  requests: readonly ReceivedRequest[],
  waiting: Set<(request: ReceivedRequest) => void>,
  isWanted: (request: ReceivedRequest) => boolean,
  deadlineMs: number,
): Promise<ReceivedRequest> {
  const found = requests.find(isWanted);
  if (found) return Promise.resolve(found);
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      clearTimeout(overdue);
      waiting.delete(notice);
      end();
    };
    const notice = (request: ReceivedRequest) => {
      try {
        if (isWanted(request)) settle(() => resolve(request));
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const overdue = setTimeout(() => {
      const came = requests.map(({ method, path }) => `${method} ${path}`).slice(-10);
      const what = came.length === 0 ? 'nothing' : `only ${came.join(', ')}`;
      settle(() => reject(new Error(`Not received within ${deadlineMs} ms; ${what} came.`)));
    }, deadlineMs);
    waiting.add(notice);
  });
}
