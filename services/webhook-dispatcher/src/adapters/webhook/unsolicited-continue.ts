import type { Socket } from 'node:net';

const CONTINUE = 100;
const EARLY_HINTS = 103;
const patched = new WeakSet<object>();

/** What is known of undici's parser of one connection. */
interface Parser {
  onHeadersComplete(status: number, upgrade: boolean, keepsAlive: boolean): number;
}

/**
 * Has the parser behind `socket`, on which undici begins to write its first request, and all parsers after it,
 * read on after a 100 Continue.
 *
 * A client must be able to read an interim response that it did not ask for (RFC 9110, section 15.2), but
 * undici 7 cuts the connection at a 100. All other interim responses it skips: its parser is given 103 instead.
 */
export function skipUnsolicitedContinue(socket: Socket): void {
  const symbols = Object.getOwnPropertySymbols(socket);
  const key = symbols.find(({ description }) => description === 'parser');
  const parser = key && (socket as unknown as Record<symbol, Parser | null>)[key];
  if (!parser) return;
  const prototype = Object.getPrototypeOf(parser) as Parser;
  if (patched.has(prototype)) return;
  patched.add(prototype);
  const original = prototype.onHeadersComplete;
  prototype.onHeadersComplete = function (status, upgrade, keepsAlive) {
    return original.call(this, status === CONTINUE ? EARLY_HINTS : status, upgrade, keepsAlive);
  };
}
