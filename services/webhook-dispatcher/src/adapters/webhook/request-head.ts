import type { Destination } from '../../application/sending/send-attempt.js';
import type { Endpoint } from './target-rules.js';

/** Characters that no field holds (RFC 9110, section 5.5): line breaks would begin another. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/** Beginning of all requests to one destination: request line and headers, each character a byte. */
export function standingHead({ origin, path }: Endpoint, headers: Destination['headers']): string {
  const host = origin.slice(origin.indexOf('//') + 2);
  return withHeaders(
    `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`,
    headers,
  );
}

/** Adds lines to a head. Throws when a header has a line break or another such character. */
export function withHeaders(head: string, headers: Destination['headers']): string {
  let lines = head;
  for (const name in headers) {
    const line = `${name}: ${headers[name]}`;
    if (UNSENDABLE.test(line)) throw new TypeError(`The header ${JSON.stringify(name)} is none.`);
    lines += `${line}\r\n`;
  }
  return lines;
}
