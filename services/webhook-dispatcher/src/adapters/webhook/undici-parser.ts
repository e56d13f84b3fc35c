import type { Socket } from 'node:net';
import { DoubtfulHeadError, HEAD_BYTES_MAX } from './doubtful-answer.js';

const CONTINUE = 100;
const EARLY_HINTS = 103;
const FINAL_STATUS_MIN = 200;
const patched = new WeakSet<object>();

/** undici's parser of one connection, as far as it is touched here. */
interface Parser {
  /** Status of the answer whose body is read. Smaller than 200 as long as its head has not been read. */
  readonly statusCode: number;
  execute(chunk: Buffer): void;
  createError(code: number, rest: Buffer): Error;
  onHeadersComplete(status: number, upgrade: boolean, keepsAlive: boolean): number;
}

/**
 * Has the parser behind `socket`, on which undici begins to write its first request, and all parsers after it, read
 * what undici 7 does not take: a 100 Continue, and heads with doubtful framing.
 */
export function patchParser(socket: Socket): void {
  const symbols = Object.getOwnPropertySymbols(socket);
  const key = symbols.find(({ description }) => description === 'parser');
  const parser = key && (socket as unknown as Record<symbol, Parser | null>)[key];
  if (!parser) return;
  const prototype = Object.getPrototypeOf(parser) as Parser;
  if (patched.has(prototype)) return;
  patched.add(prototype);
  skipUnsolicitedContinue(prototype);
  keepDoubtfulHeads(prototype);
}

/**
 * A client must be able to read an interim response that it did not ask for (RFC 9110, section 15.2), but
 * undici 7 cuts the connection at a 100. All other interim responses it skips: its parser is given 103 instead.
 */
function skipUnsolicitedContinue(prototype: Parser): void {
  const original = prototype.onHeadersComplete;
  prototype.onHeadersComplete = function (status, upgrade, keepsAlive) {
    return original.call(this, status === CONTINUE ? EARLY_HINTS : status, upgrade, keepsAlive);
  };
}

/** Has an error in the head of an answer bring what has come of it. undici has cut the connection by then. */
function keepDoubtfulHeads(prototype: Parser): void {
  const { execute, createError, onHeadersComplete } = prototype;
  const heads = new WeakMap<Parser, Buffer>();

  prototype.execute = function (chunk) {
    const head = heads.get(this);
    if (this.statusCode < FINAL_STATUS_MIN && (head?.length ?? 0) < HEAD_BYTES_MAX) {
      heads.set(this, head ? Buffer.concat([head, chunk]) : chunk);
    }
    execute.call(this, chunk);
  };
  prototype.onHeadersComplete = function (status, ...others) {
    if (status >= FINAL_STATUS_MIN) heads.delete(this);
    return onHeadersComplete.call(this, status, ...others);
  };
  prototype.createError = function (code, rest) {
    const cause = createError.call(this, code, rest);
    const head = heads.get(this);
    return head ? new DoubtfulHeadError(head, { cause }) : cause;
  };
}
