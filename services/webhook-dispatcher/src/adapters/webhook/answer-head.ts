import { InvalidAnswerError } from './failure-reason.js';

type Field = readonly [name: string, value: string];

/** Head of a response, and all that it says of what follows. */
export interface AnswerHead {
  readonly statusCode: number;
  /** In their order, with names in lower case. */
  readonly fields: readonly Field[];
  /** Bytes of the body, or Infinity when it lasts until the connection ends. */
  readonly body: number | 'chunked';
  /** Milliseconds for which the connection can wait for another request; 0: it must not be used again. */
  readonly idleMs: number;
  /** The head does not follow RFC 9112 to the letter, so nobody knows where its body ends. */
  readonly isDoubtful: boolean;
}

const STRICT_HEAD =
  /^HTTP\/1\.[01] \d{3}(?: [\t\x20-\x7e\x80-\xff]*)?\r\n(?:[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n$/;
const STATUS_LINE = /^HTTP\/(\d\.\d) +(\d{3})(?: |\r?\n)/;
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const LINE_BREAK = /\r?\n/;
const FOLD = /\r?\n[ \t]+/g;
const STATUS_MIN = 100;
/** Most bytes of all names and values together. */
const FIELDS_BYTES_MAX = 16 * 1_024;
/** Answers without a body, whatever their fields say (RFC 9112, section 6.3). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Receivers that name no time close connections soon, most after 5 s. */
const IDLE_MS = 4_000;
/** Receivers may ask for more with Keep-Alive; then idle connections would pile up. */
const IDLE_MAX_MS = 30_000;
/** The connection is given up so long before the receiver does that: a request must not meet its end. */
const BEFORE_THE_END_MS = 2_000;

/** Says whether the text can be the beginning of a head. */
export function mayBeHead(text: string): boolean {
  if (text.includes('\n')) return STATUS_LINE.test(text);
  return text.startsWith('HTTP/') || 'HTTP/'.startsWith(text);
}

/**
 * Reads a head with the blank line at its end, as widely as user agents do: single line feeds end lines and folded
 * lines are blanks (RFC 9112, sections 2.2 and 5.2), Transfer-Encoding overrides Content-Length, lengths may be
 * repeated (section 6.3), and blanks may stand where they do no harm. Throws InvalidAnswerError for anything else.
 *
 * @param text each character a byte
 */
export function answerHead(text: string): AnswerHead {
  const isStrict = STRICT_HEAD.test(text);
  const lines = isStrict ? text.split('\r\n') : text.replace(FOLD, ' ').split(LINE_BREAK);
  const [, version, status] = STATUS_LINE.exec(text) ?? [];
  const statusCode = Number(status);
  if (!(statusCode >= STATUS_MIN)) throw new InvalidAnswerError('The answer has no status.');
  const fields: Field[] = [];
  const found = { length: '', encoding: '', connection: '', keepAlive: '' };
  let bytes = 0;
  for (let line = 1; line < lines.length; line++) {
    if (lines[line] === '') continue;
    const field = fieldIn(lines[line] as string);
    if (!isStrict && (!TOKEN.test(field[0]) || field[1].includes('\0'))) {
      throw new InvalidAnswerError('A line of the head is no field.');
    }
    bytes += field[0].length + field[1].length;
    if (bytes >= FIELDS_BYTES_MAX) throw new InvalidAnswerError('The head has too many fields.');
    fields.push(field);
    note(field, found);
  }
  const { isFramedTwice, body } = framingOf(found);
  const isDoubtful = !isStrict || isFramedTwice;
  const ends = BODILESS.has(statusCode) ? 0 : body;
  const isKept = !isDoubtful && ends !== Number.POSITIVE_INFINITY && keeps(version, found);
  return { statusCode, fields, body: ends, idleMs: isKept ? idleMs(found) : 0, isDoubtful };
}

function fieldIn(line: string): Field {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase();
  let from = colon + 1;
  let to = line.length;
  while (isBlank(line.charCodeAt(from))) from++;
  while (to > from && isBlank(line.charCodeAt(to - 1))) to--;
  return [name, line.slice(from, to)];
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

/** Fields that rule a connection: the values of each, one list. Empty: there was none. */
interface Found {
  length: string;
  encoding: string;
  connection: string;
  keepAlive: string;
}

function note([name, value]: Field, found: Found): void {
  if (name === 'content-length') found.length += `,${value}`;
  else if (name === 'transfer-encoding') found.encoding += `,${value}`;
  else if (name === 'connection') found.connection += `,${value}`;
  else if (name === 'keep-alive') found.keepAlive += `,${value}`;
}

function framingOf({ length, encoding }: Found): Pick<AnswerHead, 'body'> & {
  readonly isFramedTwice: boolean;
} {
  if (encoding !== '') {
    const isChunked = /,\s*chunked\s*$/i.test(encoding);
    return { body: isChunked ? 'chunked' : Number.POSITIVE_INFINITY, isFramedTwice: length !== '' };
  }
  if (length === '') return { body: Number.POSITIVE_INFINITY, isFramedTwice: false };
  const [first = '', ...others] = length
    .slice(1)
    .split(',')
    .map((one) => one.trim());
  if (!/^\d+$/.test(first) || others.some((other) => other !== first)) {
    throw new InvalidAnswerError('The answer has no single length.');
  }
  return { body: Number(first), isFramedTwice: others.length > 0 };
}

const keeps = (version: string | undefined, { connection }: Found): boolean =>
  version === '1.1'
    ? !/,\s*close\s*(?:,|$)/i.test(connection)
    : /,\s*keep-alive\s*(?:,|$)/i.test(connection);

function idleMs({ keepAlive }: Found): number {
  const seconds = /timeout=(\d+)/.exec(keepAlive)?.[1];
  if (seconds === undefined) return IDLE_MS;
  return Math.max(0, Math.min(Number(seconds) * 1_000 - BEFORE_THE_END_MS, IDLE_MAX_MS));
}
