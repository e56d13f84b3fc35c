import { createSecureContext, rootCertificates } from 'node:tls';
import { connector } from '@junction/service/outbound';
import { Agent, type Dispatcher } from 'undici';
import type { AttemptRecord } from '../../application/job.js';
import type { WebhookRequest } from '../../application/sending/send-attempt.js';
import type { AttemptOutcome } from '../../domain/delivery/events.js';
import { type ConnectionTimings, connectionTimings, REUSED } from './connection-timing.js';
import { egressProxy } from './egress-proxy.js';
import { type Exchange, exchange } from './exchange.js';
import { failureReason } from './failure-reason.js';
import {
  EgressRefusedError,
  guardedLookup,
  nameServers,
  type Resolve,
  unguardedLookup,
} from './guarded-lookup.js';
import { headerLines } from './response-headers.js';
import { retryAfterMs } from './retry-after.js';
import { type Endpoint, endpointsOf } from './target-rules.js';

const CONNECT_TIMEOUT_MS = 5_000;
const ATTEMPT_TIMEOUT_MS = 15_000;
/** Receivers may ask for less with Keep-Alive; asked for more, idle connections would pile up. */
const IDLE_MAX_MS = 30_000;

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

/** Posts to receivers: a pool for each origin, kept alive, and no step without a bound. */
export function webhookSender(options: SenderOptions): Sender {
  const timings = connectionTimings();
  const { connect, close } = connecting(options, timings);
  // An agent of our own: one that is set for the whole process could be a proxy's.
  const agent = new Agent({
    // Allows as many connections as there are requests: webhooks of one origin must not wait for each other.
    connections: null,
    pipelining: 1,
    // Each exchange has its own deadline over both, and theirs would end one that may take longer.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveMaxTimeout: IDLE_MAX_MS,
    connect,
  });

  const endpointOf = endpointsOf({ allowPrivateTargets: options.allowPrivateTargets });

  return {
    send: (request) => attempt({ agent, timings, endpointOf }, request, options),
    async close() {
      timings.stop();
      await agent.destroy();
      await close();
    },
  };
}

/** Opens connections to the address that the guard's lookup gave, through the proxy if there is one. */
function connecting(
  { allowPrivateTargets, extraCa, proxy, resolve = nameServers() }: SenderOptions,
  { opened }: ConnectionTimings,
) {
  const lookup = allowPrivateTargets ? unguardedLookup : guardedLookup(resolve);
  const tls = extraCa === undefined ? {} : { secureContext: trusting(extraCa) };
  const direct = { lookup, tls, timeoutMs: CONNECT_TIMEOUT_MS, opened };
  if (proxy === undefined) return { connect: connector(direct), async close() {} };
  const { dial, close } = egressProxy(proxy, CONNECT_TIMEOUT_MS);
  return { connect: connector({ ...direct, dial }), close };
}

/** Made once: reading all authorities takes longer than a connection nearby. */
const trusting = (extraCa: string) => createSecureContext({ ca: [...rootCertificates, extraCa] });

interface Sending {
  readonly agent: Dispatcher;
  readonly timings: ConnectionTimings;
  readonly endpointOf: (url: string) => Endpoint;
}

/** Not asynchronous itself: each layer that is costs as much as reading the answer. */
function attempt(
  { agent, timings, endpointOf }: Sending,
  request: WebhookRequest,
  { attemptTimeoutMs = ATTEMPT_TIMEOUT_MS, now = Date.now }: SenderOptions,
): Promise<AttemptRecord> {
  const startedMs = performance.now();
  let connection = REUSED;
  const recordOf = (outcome: AttemptOutcome, response: Partial<Exchange>): AttemptRecord => ({
    startedAt: request.startedAt,
    outcome,
    result: resultOf(outcome),
    httpStatus: response.statusCode ?? null,
    headersMs: response.headersMs ?? null,
    totalMs: performance.now() - startedMs,
    connection,
    headers: response.headers ? headerLines(response.headers) : NOTHING,
    sample: response.sample ?? NOTHING,
  });
  const failed = (error: unknown) => recordOf(failureOf(error), NO_RESPONSE);
  try {
    const { url, headers, body } = request;
    const { origin, path } = endpointOf(url);
    const started = () => timings.starting((timing) => (connection = timing));
    const posted = { origin, path, method: 'POST', headers, body } as const;
    return exchange(agent, posted, attemptTimeoutMs, started).then(
      (response) => recordOf(answerOf(response, now()), response),
      failed,
    );
  } catch (error) {
    return Promise.resolve(failed(error));
  }
}

/** The status counts however its body is framed or ends; but the end of a success must come by the deadline. */
function answerOf({ statusCode, headers, overdue }: Exchange, nowMs: number): AttemptOutcome {
  const answer = outcomeOf(statusCode, headers['retry-after'], nowMs);
  const isLate = overdue !== undefined && !BODILESS.has(statusCode);
  return isLate && answer.kind === 'succeeded' ? failureOf(overdue) : answer;
}

const NO_RESPONSE: Partial<Exchange> = {};
const NOTHING = Buffer.alloc(0);
/** Whole with their headers (RFC 9110, sections 15.3.5 and 15.3.6), whatever a receiver sends after them. */
const BODILESS: ReadonlySet<number> = new Set([204, 205]);

function outcomeOf(
  status: number,
  retryAfter: string | string[] | undefined,
  nowMs: number,
): AttemptOutcome {
  if (status >= 200 && status < 300) return { kind: 'succeeded' };
  if (status === 410) return { kind: 'gone' };
  const isAsked = status === 429 || status === 503;
  const delayMs = isAsked ? retryAfterMs(retryAfter, nowMs) : 0;
  return { kind: 'failed', reason: `http_${status}`, retryAfterMs: delayMs };
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
