import { type AnswerHead, answerHead, mayBeHead } from './answer-head.js';
import { InvalidAnswerError } from './failure-reason.js';

/** Most bytes that are kept of a response body. */
const SAMPLE_BYTES_MAX = 16 * 1_024;
/** Read on to here so that the connection can be used again; beyond it the connection is cut. */
const BODY_BYTES_MAX = 128 * 1_024;
/** Most bytes of a head that are read, and most of all interim responses before it, which lead nowhere. */
const HEAD_BYTES_MAX = 64 * 1_024;
/** Longest line between chunks that is read. */
const LINE_BYTES_MAX = 4 * 1_024;
const SWITCHING_PROTOCOLS = 101;
const FINAL_STATUS_MIN = 200;
const LF = 0x0a;
const EMPTY = Buffer.alloc(0);
const HEAD_END = /\n\r?\n/g;
/** Blank lines may precede an answer (RFC 9112, section 2.2). */
const BLANK_LINES = /[\r\n]*/y;

/** Lines around chunks, or what has come of one (RFC 9112, section 7.1). */
const FRAMING = {
  size: /^(?:([\da-f]+)(?:;[^\r\n]*)?(?:\r\n?)?)?$/i,
  'end of data': /^(?:\r\n?)?$/,
  trailer: /^[^\r\n]*(?:\r\n?)?$/,
};

/**
 * Reads the answer to one request out of the bytes of a connection (RFC 9112), however they are split. Each step has a
 * bound. The status counts as soon as its line has come, since a receiver that has answered must not be asked
 * again; but only an answer that is right to the letter leaves the connection to another request, so what it says of
 * its own length can shift no other answer.
 */
export class AnswerReader {
  /** Head of the final answer, once that has come. */
  head: AnswerHead | undefined;
  /** The beginning of the body. Nothing is decompressed: a few bytes could be many. */
  sample: Buffer = EMPTY;
  /** The answer is over, and its connection is kept for another request or cut. undefined: more has to come. */
  end: 'kept' | 'cut' | undefined;
  /** As much as has come of the head, or of a line between chunks. */
  #text = '';
  /** Bytes of interim responses (1xx) and blank lines. */
  #interimBytes = 0;
  #isDoubtful = false;
  /** Bytes of the body, or of its chunk, that have not come. */
  #left = 0;
  #line: keyof typeof FRAMING = 'size';
  /** Bytes of the body with its framing. */
  #bytes = 0;

  /** Reads the first `length` of the bytes, which are copied where they are kept. Throws InvalidAnswerError. */
  read(bytes: Buffer, length = bytes.length): void {
    let at = this.head ? 0 : this.#readHeads(bytes, length);
    while (at < length && this.end === undefined) at = this.#readBody(bytes, at, length);
    if (at === length) return;
    if (this.#isDoubtful) this.#keep(bytes, at, length);
    this.end = 'cut';
  }

  /** Ends the answer where its bytes end, perhaps within its head. */
  close(): void {
    if (this.head !== undefined || !this.#text.includes('\n')) return;
    const head = answerHead(wholeLines(this.#text));
    if (head.statusCode >= FINAL_STATUS_MIN) this.head = head;
  }

  /** Reads interim responses and the head of the answer; returns the place in the bytes where that ends. */
  #readHeads(bytes: Buffer, length: number): number {
    const before = this.#text.length;
    const text = this.#text + bytes.toString('latin1', 0, length);
    let at = 0;
    while (at < text.length && this.head === undefined) at = this.#readHead(text, at, before - 2);
    return at - before;
  }

  /** Reads a head from a place of the text on, up to the second place of which no head ends. */
  #readHead(text: string, from: number, searchedTo: number): number {
    BLANK_LINES.lastIndex = from;
    BLANK_LINES.test(text);
    const start = BLANK_LINES.lastIndex;
    HEAD_END.lastIndex = Math.max(start, searchedTo);
    const isWhole = HEAD_END.test(text);
    const end = isWhole ? HEAD_END.lastIndex : text.length;
    const head = text.slice(start, Math.min(end, start + HEAD_BYTES_MAX));
    if (!isWhole && !mayBeHead(head)) throw new InvalidAnswerError('The answer is not HTTP/1.');
    this.#countInterim(start - from);
    const isOver = isWhole || end - start > HEAD_BYTES_MAX;
    this.#text = isOver ? '' : head;
    if (isOver) this.#begin(answerHead(wholeLines(head)), head.length);
    return end;
  }

  #begin(head: AnswerHead, bytes: number): void {
    this.#isDoubtful ||= head.isDoubtful;
    if (head.statusCode < FINAL_STATUS_MIN) {
      if (head.statusCode === SWITCHING_PROTOCOLS) throw leadsNowhere();
      this.#countInterim(bytes);
      return;
    }
    this.head = head;
    if (head.body !== 'chunked') this.#left = head.body;
    if (this.#isDoubtful) this.end = 'cut';
    else if (head.body === 0) this.#finish();
  }

  #countInterim(bytes: number): void {
    this.#interimBytes += bytes;
    if (this.#interimBytes >= HEAD_BYTES_MAX) throw leadsNowhere();
  }

  #readBody(bytes: Buffer, from: number, length: number): number {
    const at =
      this.#left > 0 ? this.#readData(bytes, from, length) : this.#readLine(bytes, from, length);
    this.#bytes += at - from;
    if (this.#bytes > BODY_BYTES_MAX) this.end = 'cut';
    return at;
  }

  #readData(bytes: Buffer, from: number, length: number): number {
    const to = Math.min(length, from + this.#left);
    this.#keep(bytes, from, to);
    this.#left -= to - from;
    if (this.#left === 0 && this.head?.body !== 'chunked') this.#finish();
    return to;
  }

  /** Reads a line of the chunked coding, to the letter. */
  #readLine(bytes: Buffer, from: number, length: number): number {
    const feed = bytes.indexOf(LF, from);
    const to = feed === -1 || feed >= length ? length : feed + 1;
    const line = this.#text + bytes.toString('latin1', from, to);
    const found = FRAMING[this.#line].exec(line);
    if (found === null || line.length > LINE_BYTES_MAX) this.end = 'cut';
    else if (line.endsWith('\n')) this.#afterLine(line, Number.parseInt(found[1] ?? '', 16));
    else this.#text = line;
    return to;
  }

  #afterLine(line: string, size: number): void {
    this.#text = '';
    if (this.#line === 'end of data') this.#line = 'size';
    else if (this.#line === 'trailer') {
      if (line === '\r\n') this.#finish();
    } else if (Number.isSafeInteger(size)) {
      this.#left = size;
      this.#line = size === 0 ? 'trailer' : 'end of data';
    } else this.end = 'cut';
  }

  #keep(bytes: Buffer, from: number, to: number): void {
    const before = this.sample;
    const length = Math.min(SAMPLE_BYTES_MAX, before.length + to - from);
    if (length === before.length) return;
    this.sample = Buffer.allocUnsafe(length);
    before.copy(this.sample);
    bytes.copy(this.sample, before.length, from);
  }

  #finish(): void {
    this.end = this.head?.idleMs === 0 ? 'cut' : 'kept';
  }
}

/** Without a last line that is not whole: that may say 72 for 7200. */
const wholeLines = (text: string): string => text.slice(0, text.lastIndexOf('\n') + 1);

const leadsNowhere = () => new InvalidAnswerError('The interim responses lead to no answer.');
