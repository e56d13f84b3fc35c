import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { DoubtfulHeadError, doubtfulAnswer } from './doubtful-answer.js';
import { EndlessAnswerError } from './failure-reason.js';

/** Most bytes that are kept of a response body. */
export const SAMPLE_BYTES_MAX = 16 * 1_024;
/** Read on to here so that the connection can be used again; beyond it the connection is cut. */
const DISCARDED_BYTES_MAX = 128 * 1_024;
const FINAL_STATUS_MIN = 200;
/** Interim responses (1xx) cost us as much as the receiver likes, and lead nowhere. */
const INTERIM_RESPONSES_MAX = 16;

/** A request and the response to it. */
export interface Exchange {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  /** Milliseconds until the headers were there. */
  readonly headersMs: number;
  /** The beginning of the body. Nothing is decompressed: a few bytes could be many. */
  readonly sample: Buffer;
  /** The deadline came before the end of the body. */
  readonly overdue?: Error | undefined;
}

/**
 * Makes a request and reads the response, whatever becomes of its body. Rejects when no readable headers came: with the
 * error of undici, or with a TimeoutError when everything together has taken `deadlineMs`. Calls `started` when the
 * request has its connection and is about to be written.
 *
 * undici's own `request` makes a stream and an abort signal for each request, which cost more than the rest.
 */
export const exchange = (
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  deadlineMs: number,
  started: () => void,
): Promise<Exchange> =>
  new Promise((resolve, reject) => {
    dispatcher.dispatch(request, new ResponseReader(deadlineMs, started, resolve, reject));
  });

class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #startedMs = performance.now();
  readonly #started: () => void;
  readonly #resolve: (exchange: Exchange) => void;
  readonly #reject: (error: unknown) => void;
  readonly #deadline: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #response: Pick<Exchange, 'statusCode' | 'headers' | 'headersMs'> | undefined;
  #sample: Buffer = EMPTY;
  #bytes = 0;
  #interim = 0;
  #overdue: Error | undefined;

  constructor(
    deadlineMs: number,
    started: () => void,
    resolve: (exchange: Exchange) => void,
    reject: (error: unknown) => void,
  ) {
    this.#started = started;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadline = setTimeout(() => this.#cut(deadlineMs), deadlineMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The deadline passed while the request waited for a connection.
    if (this.#overdue) controller.abort(this.#overdue);
    else this.#started();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (statusCode < FINAL_STATUS_MIN) {
      if (++this.#interim > INTERIM_RESPONSES_MAX) controller.abort(new EndlessAnswerError());
      return;
    }
    this.#response = { statusCode, headers, headersMs: performance.now() - this.#startedMs };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    const room = SAMPLE_BYTES_MAX - this.#sample.length;
    // Copied: a chunk is a view of what was read together, and would keep all of that alive.
    if (room > 0) this.#sample = Buffer.concat([this.#sample, chunk.subarray(0, room)]);
    if (this.#bytes <= DISCARDED_BYTES_MAX) return;
    this.#end();
    controller.abort(new Error('More of the body came than is read of any.'));
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (error instanceof DoubtfulHeadError) this.#readDoubtful(error);
    this.#end(error);
  }

  #readDoubtful({ head }: DoubtfulHeadError): void {
    const answer = doubtfulAnswer(head);
    if (answer === undefined) return;
    const { statusCode, headers, rest } = answer;
    this.#response = { statusCode, headers, headersMs: performance.now() - this.#startedMs };
    this.#sample = rest.subarray(0, SAMPLE_BYTES_MAX);
  }

  #cut(deadlineMs: number): void {
    this.#overdue = new DOMException(`No answer within ${deadlineMs} ms.`, 'TimeoutError');
    this.#end(this.#overdue);
    this.#controller?.abort(this.#overdue);
  }

  #end(error?: unknown): void {
    clearTimeout(this.#deadline);
    const response = this.#response;
    if (response === undefined) {
      this.#reject(error);
      return;
    }
    const { statusCode, headers, headersMs } = response;
    const [sample, overdue] = [this.#sample, this.#overdue];
    this.#resolve({ statusCode, headers, headersMs, sample, overdue });
  }
}

const EMPTY = Buffer.alloc(0);
