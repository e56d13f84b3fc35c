import { InvalidAnswerError } from './failure-reason.js';

/** Head of a response, and all that it says of what follows. */
export interface AnswerHead {
  readonly statusCode: number;
  /** Fields as lines of `name: value` in their order, as many as fit whole into 4 KiB; names are in lower case. */
  readonly lines: string;
  /** Values of Retry-After, one a line. */
  readonly retryAfter: string;
  /** Bytes of the body, or Infinity when it lasts until the connection ends. */
  readonly body: number | 'chunked';
  /** Milliseconds for which the connection can wait for another request; 0: it must not be used again. */
  readonly idleMs: number;
  /** The head does not follow RFC 9112 to the letter, so nobody knows where its body ends. */
  readonly isDoubtful: boolean;
}

const STRICT_HEAD =
  /^HTTP\/1\.[01] \d{3}(?: [\t\x20-\x7e\x80-\xff]*)?\r\n(?:[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n$/;
const STATUS_LINE = /^HTTP\/(\d\.\d) +([1-9]\d{2})(?: |\r?\n)/;
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const LINE_BREAK = /\r?\n/;
const FOLD = /\r?\n[ \t]+/g;
/** Most bytes that are kept of names and values. */
const LINES_BYTES_MAX = 4 * 1_024;
/** Answers without a body, whatever their fields say (RFC 9112, section 6.3). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Receivers that name no time close connections soon, most after 5 s. */
const IDLE_MS = 4_000;
/** Receivers may ask for more with Keep-Alive; then idle connections would pile up. */
const IDLE_MAX_MS = 30_000;
/** The connection is given up so long before the receiver does that: a request must not meet its end. */
const BEFORE_THE_END_MS = 2_000;

/** Returns whether the text can be the beginning of a head. */
export function mayBeHead(text: string): boolean {
  if (text.includes('\n')) return STATUS_LINE.test(text);
  return text.startsWith('HTTP/') || 'HTTP/'.startsWith(text);
}

/**
 * Reads a head, as widely as user agents do: single line feeds end lines and folded lines are blanks (RFC 9112,
 * sections 2.2 and 5.2), Transfer-Encoding overrides Content-Length, lengths may be repeated (section 6.3), and blanks
 * may stand where they do no harm. Whatever else follows the status line takes nothing from the status: lines that are
 * no fields are left out, and a body without a single length lasts until the connection ends. Throws
 * InvalidAnswerError for a text without a status line.
 *
 * @param text each character a byte; whole with the blank line at its end, or the lines that came before it broke off
 */
export function answerHead(text: string): AnswerHead {
  const isStrict = STRICT_HEAD.test(text);
  const [, version = '', status] = STATUS_LINE.exec(text) ?? [];
  if (status === undefined)
    throw new InvalidAnswerError('The answer has no status line of HTTP/1.');
  const { lines, ruling } = fieldsIn(
    isStrict ? text.split('\r\n') : text.replace(FOLD, ' ').split(LINE_BREAK),
    isStrict,
  );
  const { body, isDoubtful } = framingOf(ruling, isStrict);
  const statusCode = Number(status);
  const ends = BODILESS.has(statusCode) ? 0 : body;
  const isKept = !isDoubtful && ends !== Number.POSITIVE_INFINITY;
  const idleMs = isKept ? idleMsOf(version, ruling) : 0;
  return { statusCode, lines, retryAfter: ruling['retry-after'], body: ends, idleMs, isDoubtful };
}

/** Fields that something follows from: the values of each, one a line. */
class Ruling {
  'content-length' = '';
  'transfer-encoding' = '';
  connection = '';
  'keep-alive' = '';
  'retry-after' = '';
}

function fieldsIn(all: readonly string[], isStrict: boolean) {
  const ruling = new Ruling();
  let lines = '';
  let keptBytes = 0;
  for (let place = 1; place < all.length; place++) {
    const line = all[place] as string;
    if (line === '') continue;
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase();
    const value = trimmed(line, colon + 1);
    if (!isStrict && (!TOKEN.test(name) || value.includes('\0'))) continue;
    const kept = `${name}: ${value}`;
    keptBytes += Buffer.byteLength(kept) + 1;
    if (keptBytes <= LINES_BYTES_MAX) lines += lines === '' ? kept : `\n${kept}`;
    if (Object.hasOwn(ruling, name)) ruling[name as keyof Ruling] += `\n${value}`;
  }
  return { lines, ruling };
}

/** Without blanks and tabs at its ends: others belong to a value. */
function trimmed(line: string, start: number): string {
  let from = start;
  let to = line.length;
  while (isBlank(line.charCodeAt(from))) from++;
  while (to > from && isBlank(line.charCodeAt(to - 1))) to--;
  return line.slice(from, to);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

const trim = (text: string): string => text.trim();

function framingOf(ruling: Ruling, isStrict: boolean): Pick<AnswerHead, 'body' | 'isDoubtful'> {
  const { 'content-length': length, 'transfer-encoding': encoding } = ruling;
  if (encoding !== '') {
    const isChunked = /[\n,][ \t]*chunked$/i.test(encoding);
    const body = isChunked ? 'chunked' : Number.POSITIVE_INFINITY;
    return { body, isDoubtful: !isStrict || length !== '' };
  }
  if (length === '') return { body: Number.POSITIVE_INFINITY, isDoubtful: !isStrict };
  if (/^\n\d+$/.test(length)) return { body: Number(length), isDoubtful: !isStrict };
  const [first, ...others] = new Set(length.slice(1).split(/[\n,]/).map(trim));
  const isSingle = others.length === 0 && /^\d+$/.test(first ?? '');
  return { body: isSingle ? Number(first) : Number.POSITIVE_INFINITY, isDoubtful: true };
}

function idleMsOf(version: string, { connection, 'keep-alive': keepAlive }: Ruling): number {
  const isKept =
    version === '1.1'
      ? !/[\n,]\s*close\s*(?:,|$)/im.test(connection)
      : /[\n,]\s*keep-alive\s*(?:,|$)/im.test(connection);
  if (!isKept) return 0;
  const seconds = /timeout=(\d+)/.exec(keepAlive)?.[1];
  if (seconds === undefined) return IDLE_MS;
  return Math.max(0, Math.min(Number(seconds) * 1_000 - BEFORE_THE_END_MS, IDLE_MAX_MS));
}
