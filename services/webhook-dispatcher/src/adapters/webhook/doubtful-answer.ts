import type { IncomingHttpHeaders } from 'node:http';

/** So much is kept of a head; undici reads 16 KiB of headers. */
export const HEAD_BYTES_MAX = 32 * 1_024;

/** undici's parser does not take the head of an answer. The connection is closed. */
export class DoubtfulHeadError extends Error {
  constructor(
    /** The head as far as it has come, with what came after it in one piece. */
    readonly head: Buffer,
    options: ErrorOptions,
  ) {
    super('The head of the answer does not follow RFC 9112 to the letter.', options);
    this.name = new.target.name;
  }
}

export interface DoubtfulAnswer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  /** Bytes after the head, with their framing if they have any. */
  readonly rest: Buffer;
}

const STATUS_LINE = /^HTTP\/1\.\d +(\d{3})(?: |$)/;
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const LINE_BREAK = /\r?\n/;
const FOLD = /\r?\n[ \t]+/g;
const SWITCHING_PROTOCOLS = 101;
const FINAL_STATUS_MIN = 200;

/**
 * Reads the head of an answer as widely as user agents do: single line feeds end lines and folded lines are blanks
 * (RFC 9112, sections 2.2 and 5.2), Transfer-Encoding overrides Content-Length, lengths may be repeated (section 6.3),
 * and blanks may stand where they do no harm. undefined: nobody can read it.
 *
 * This is for a connection that is closed already: what such an answer says of its own length ends here, and can shift
 * no other answer.
 */
export function doubtfulAnswer(bytes: Buffer): DoubtfulAnswer | undefined {
  let text = bytes.toString('latin1');
  for (;;) {
    const { lines, rest } = headIn(text);
    const status = Number(STATUS_LINE.exec(lines[0] ?? '')?.[1]);
    if (Number.isNaN(status) || status === SWITCHING_PROTOCOLS) return undefined;
    if (status >= FINAL_STATUS_MIN) {
      const fields = lines.slice(1).map(fieldIn);
      if (!fields.every((field) => field !== undefined) || !isFramed(fields)) return undefined;
      return { statusCode: status, headers: collected(fields), rest: Buffer.from(rest, 'latin1') };
    }
    text = rest;
  }
}

/** The lines that came whole, unfolded, and what follows the blank line after them. */
function headIn(text: string): { readonly lines: readonly string[]; readonly rest: string } {
  const begun = text.replace(/^[\r\n]+/, '');
  const end = /\r?\n\r?\n/.exec(begun);
  const head = end ? begun.slice(0, end.index) : begun.slice(0, begun.lastIndexOf('\n') + 1);
  const lines = head.replace(FOLD, ' ').split(LINE_BREAK);
  return {
    lines: lines.filter((line) => line !== ''),
    rest: end ? begun.slice(end.index + end[0].length) : '',
  };
}

type Field = readonly [name: string, value: string];

function fieldIn(line: string): Field | undefined {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase();
  return TOKEN.test(name) && !line.includes('\0')
    ? [name, line.slice(colon + 1).trim()]
    : undefined;
}

/** Says whether there is a single length, or a Transfer-Encoding that overrides all of them (RFC 9112, section 6.3). */
function isFramed(fields: readonly Field[]): boolean {
  if (fields.some(([name]) => name === 'transfer-encoding')) return true;
  const lengths = fields.flatMap(([name, value]) =>
    name === 'content-length' ? value.split(',') : [],
  );
  const [first = '0', ...others] = lengths.map((length) => length.trim());
  return /^\d+$/.test(first) && others.every((length) => length === first);
}

function collected(fields: readonly Field[]): IncomingHttpHeaders {
  const headers = new Map<string, string | string[]>();
  for (const [name, value] of fields) {
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(headers);
}
