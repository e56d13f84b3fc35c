import type { WebhookRequest } from '../../application/sending/send-attempt.js';
import type { Endpoint } from './target-rules.js';

/** Characters that no field holds (RFC 9110, section 5.5): line breaks would begin another. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/**
 * Returns the beginning of all requests to one destination: request line and headers, each character a byte. Throws
 * when a header has a line break or another such character.
 */
export function standingHead(
  { origin, path }: Endpoint,
  { headers }: WebhookRequest['to'],
): string {
  const host = origin.slice(origin.indexOf('//') + 2);
  let head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (const [name, value] of Object.entries(headers)) {
    const line = `${name}: ${value}`;
    if (UNSENDABLE.test(line)) throw new TypeError(`The header ${JSON.stringify(name)} is none.`);
    head += `${line}\r\n`;
  }
  return head;
}

/** Returns the whole head, with the blank line at its end. The headers of the request are ours, and sendable. */
export function requestHead(standing: string, { headers, body }: WebhookRequest): string {
  let head = standing;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  return `${head}content-length: ${body.length}\r\n\r\n`;
}
