import type { Socket } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import { connector } from '@junction/service/outbound';
import type { AttemptRecord, ConnectionTiming } from '../../application/job.js';
import type { WebhookRequest } from '../../application/sending/send-attempt.js';
import type { AttemptOutcome } from '../../domain/delivery/events.js';
import type { AnswerHead } from './answer-head.js';
import { dialPlain } from './connection.js';
import { connections, type Open } from './connections.js';
import { egressProxy } from './egress-proxy.js';
import { Exchange, REUSED } from './exchange.js';
import { failureReason } from './failure-reason.js';
import {
  EgressRefusedError,
  guardedLookup,
  nameServers,
  type Resolve,
  unguardedLookup,
} from './guarded-lookup.js';
import { requestHead } from './request-head.js';
import { headerLines } from './response-headers.js';
import { retryAfterMs } from './retry-after.js';
import { endpointsOf } from './target-rules.js';

const CONNECT_TIMEOUT_MS = 5_000;
const ATTEMPT_TIMEOUT_MS = 15_000;

export interface SenderOptions {
  /** http, private addresses and private names: WEBHOOK_ALLOW_PRIVATE_TARGETS. */
  readonly allowPrivateTargets: boolean;
  /** PEM of an authority that receivers may be signed by, besides the public ones. */
  readonly extraCa?: string | undefined;
  /** The proxy that every connection is opened through. Absent: none, whatever HTTP_PROXY says. */
  readonly proxy?: string | undefined;
  readonly resolve?: Resolve;
  readonly attemptTimeoutMs?: number;
  readonly now?: () => number;
}

export interface Sender {
  /** Never rejects: every way an attempt can end is a record. */
  send(request: WebhookRequest): Promise<AttemptRecord>;
  close(): Promise<void>;
}

/** Posts to receivers over connections that are kept alive, and no step without a bound. */
export function webhookSender(options: SenderOptions): Sender {
  const { allowPrivateTargets, attemptTimeoutMs = ATTEMPT_TIMEOUT_MS, now = Date.now } = options;
  const opening = opener(options);
  const receivers = connections(opening.open, attemptTimeoutMs);
  const endpointOf = endpointsOf({ allowPrivateTargets });

  const post = (request: WebhookRequest, ended: (exchange: Exchange) => void) => {
    try {
      const endpoint = endpointOf(request.url);
      receivers.post(endpoint.origin, requestHead(endpoint, request), request.body, ended);
    } catch (error) {
      new Exchange('', '', request.body, ended).end(error);
    }
  };

  return {
    send: (request) =>
      new Promise((resolve) => {
        post(request, (exchange) => resolve(recordOf(exchange, request, now())));
      }),
    async close() {
      receivers.close();
      await opening.close();
    },
  };
}

/** Opens connections to the address that the guard's lookup gave, through the proxy if there is one. */
function opener({ allowPrivateTargets, extraCa, proxy, resolve = nameServers() }: SenderOptions) {
  const timings = new WeakMap<Socket, ConnectionTiming>();
  const lookup = allowPrivateTargets ? unguardedLookup : guardedLookup(resolve);
  const tls = extraCa === undefined ? {} : { secureContext: trusting(extraCa) };
  const opened = (socket: Socket, timing: ConnectionTiming) => void timings.set(socket, timing);
  const direct = { lookup, tls, timeoutMs: CONNECT_TIMEOUT_MS, opened };
  const through = proxy === undefined ? undefined : egressProxy(proxy, CONNECT_TIMEOUT_MS);
  const plain = connector({ ...direct, dial: through?.dial ?? dialPlain });
  const secure = connector(through ? { ...direct, dial: through.dial } : direct);

  const open: Open = (origin, done) => {
    const { protocol, hostname, port } = new URL(origin);
    const connect = protocol === 'https:' ? secure : plain;
    connect({ protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port }, (error, socket) => {
      done(error, socket, (socket && timings.get(socket)) ?? REUSED);
    });
  };
  return { open, close: async () => through?.close() };
}

/** Made once: reading all authorities takes longer than a connection nearby. */
const trusting = (extraCa: string) => createSecureContext({ ca: [...rootCertificates, extraCa] });

function recordOf(exchange: Exchange, { startedAt }: WebhookRequest, nowMs: number): AttemptRecord {
  const { head, headersMs, sample, timing, error } = exchange;
  const outcome = head === undefined ? failureOf(error) : answerOf(head, exchange, nowMs);
  return {
    startedAt,
    outcome,
    result: resultOf(outcome),
    httpStatus: head?.statusCode ?? null,
    headersMs,
    totalMs: performance.now() - exchange.startedMs,
    connection: timing,
    headers: head ? headerLines(head.fields) : NOTHING,
    sample,
  };
}

/** The status counts however its body is framed or ends; but the end of a success must come by the deadline. */
function answerOf(head: AnswerHead, { overdue }: Exchange, nowMs: number): AttemptOutcome {
  const answer = outcomeOf(head, nowMs);
  const isLate = overdue !== undefined && !BODILESS.has(head.statusCode);
  return isLate && answer.kind === 'succeeded' ? failureOf(overdue) : answer;
}

const NOTHING = Buffer.alloc(0);
/** Whole with their headers (RFC 9110, sections 15.3.5 and 15.3.6), whatever a receiver sends after them. */
const BODILESS: ReadonlySet<number> = new Set([204, 205]);

function outcomeOf({ statusCode, fields }: AnswerHead, nowMs: number): AttemptOutcome {
  if (statusCode >= 200 && statusCode < 300) return { kind: 'succeeded' };
  if (statusCode === 410) return { kind: 'gone' };
  const isAsked = statusCode === 429 || statusCode === 503;
  const asked = fields
    .filter(([name]) => isAsked && name === 'retry-after')
    .map(([, value]) => value);
  return { kind: 'failed', reason: `http_${statusCode}`, retryAfterMs: retryAfterMs(asked, nowMs) };
}

function failureOf(error: unknown): AttemptOutcome {
  const refusal = [error, (error as Error).cause].find((one) => one instanceof EgressRefusedError);
  if (refusal) return { kind: 'refused', reason: refusal.code };
  return { kind: 'failed', reason: failureReason(error), retryAfterMs: 0 };
}

function resultOf(outcome: AttemptOutcome): string {
  switch (outcome.kind) {
    case 'succeeded':
      return 'succeeded';
    case 'gone':
      return 'http_410';
    case 'failed':
    case 'refused':
      return outcome.reason;
  }
}
