import type { handleClientStreamingCall, handleUnaryCall, Metadata } from '@grpc/grpc-js';
import { checkedTraceparent, recordedTraceparent } from '@junction/telemetry';
import type { Logger } from '../process/logging/logger.js';
import { type ServiceCaller, serviceCallerOf } from './admission.js';
import { reportFailure } from './report-failure.js';
import { toGrpcStatus } from './status.js';

export interface CallContext {
  /** Service whose token was accepted. */
  readonly caller: ServiceCaller;
  /** Aborts when the caller hangs up or the deadline passes: the answer has no reader any more. */
  readonly signal: AbortSignal;
  /**
   * W3C Trace Context: the call's own if it is recorded, else that of its caller; undefined when there is none to pass
   * on.
   */
  readonly traceparent: string | undefined;
}

/** Lets a handler be an async function. Every failure is answered; none leaves the caller waiting. */
export const unary =
  <Request, Response>(
    log: Logger,
    handle: (request: Request, context: CallContext) => Promise<Response>,
  ): handleUnaryCall<Request, Response> =>
  (call, callback) => {
    void answer(log, call, callback, async (context) => handle(call.request, context));
  };

/**
 * Lets a handler of a stream of requests with one answer be an async function. Reading waits while the handler is busy.
 */
export const clientStream =
  <Request, Response>(
    log: Logger,
    handle: (requests: AsyncIterable<Request>, context: CallContext) => Promise<Response>,
  ): handleClientStreamingCall<Request, Response> =>
  (call, callback) => {
    void answer(log, call, callback, async (context) => handle(call, context));
  };

interface Call {
  readonly metadata: Metadata;
  on(event: 'cancelled', listener: () => void): unknown;
  off(event: 'cancelled', listener: () => void): unknown;
  getPath(): string;
}

const contextOf = ({ metadata }: Call, signal: AbortSignal): CallContext => ({
  caller: serviceCallerOf(metadata),
  signal,
  traceparent:
    recordedTraceparent() ?? checkedTraceparent(metadata.get('traceparent')[0]?.toString()),
});

/**
 * Returns a signal that aborts when the caller hangs up. After the answer it does not abort: 'cancelled' follows each
 * answer, and an abort makes an error.
 */
function untilAnswered(call: Call): { readonly signal: AbortSignal; answered(): void } {
  const abort = new AbortController();
  const hangUp = () => abort.abort();
  call.on('cancelled', hangUp);
  return { signal: abort.signal, answered: () => void call.off('cancelled', hangUp) };
}

async function answer<Response>(
  log: Logger,
  call: Call,
  callback: (error: ReturnType<typeof toGrpcStatus> | null, response?: Response) => void,
  handle: (context: CallContext) => Promise<Response>,
): Promise<void> {
  const { signal, answered } = untilAnswered(call);
  try {
    const response = await handle(contextOf(call, signal));
    answered();
    callback(null, response);
  } catch (error) {
    // The caller who hung up made the reading fail as well, and waits for no answer.
    if (signal.aborted) return;
    answered();
    reportFailure(log, call.getPath(), error);
    callback(toGrpcStatus(error));
  }
}
