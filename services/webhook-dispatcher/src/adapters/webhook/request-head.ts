import type { WebhookRequest } from '../../application/sending/send-attempt.js';
import type { Endpoint } from './target-rules.js';

/** Characters that no field holds (RFC 9110, section 5.5): line breaks would begin another. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/** Request line and headers, each character a byte. Throws when a header has a line break or another such character. */
export function requestHead(
  { origin, path }: Endpoint,
  { headers, body }: Pick<WebhookRequest, 'headers' | 'body'>,
): string {
  const host = origin.slice(origin.indexOf('//') + 2);
  let head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (const name of Object.keys(headers)) {
    const line = `${name}: ${headers[name]}`;
    if (UNSENDABLE.test(line)) throw new TypeError(`The header ${JSON.stringify(name)} is none.`);
    head += `${line}\r\n`;
  }
  return `${head}content-length: ${body.length}\r\n\r\n`;
}
