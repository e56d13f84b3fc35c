import type { SentRequest } from '../api/types.js';

/** Headers that curl sets by itself. */
const MADE_BY_CURL = new Set(['host', 'content-length', 'connection', 'transfer-encoding']);

/**
 * A command that sends the same request, in any POSIX shell. Its signature is of the old moment: a receiver that
 * checks how old it is will refuse it.
 */
export function curlOf({ url, headers }: SentRequest, body: string): string {
  const sent = Object.entries(headers).filter(([name]) => !MADE_BY_CURL.has(name.toLowerCase()));
  return [
    `curl --globoff ${quoted(url)}`,
    ...sent.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ');
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
