import { type AnswerHead, answerHead, mayBeHead } from './answer-head.js';
import { ChunkFraming } from './chunk-framing.js';
import { InvalidAnswerError } from './failure-reason.js';

/** Most bytes that are kept of a response body. */
const SAMPLE_BYTES_MAX = 16 * 1_024;
/** Read on to here so that the connection can be used again; beyond it the connection is cut. */
const BODY_BYTES_MAX = 128 * 1_024;
const HEAD_BYTES_MAX = 32 * 1_024;
const SWITCHING_PROTOCOLS = 101;
const FINAL_STATUS_MIN = 200;
/** Interim responses (1xx) cost us as much as the receiver likes, and lead nowhere. */
const INTERIM_RESPONSES_MAX = 16;
const CR = 0x0d;
const LF = 0x0a;
const EMPTY = Buffer.alloc(0);

/**
 * Reads the answer to one request out of the bytes of a connection (RFC 9112), however they are split. Each step has a
 * bound. The status counts however its body is framed or ends, since a receiver that has answered must not be asked
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
  #text = '';
  /** Bytes in the line that is read, without carriage returns. */
  #line = 0;
  #interim = 0;
  #isDoubtful = false;
  /** Bytes of the body, or of its chunk, that have not come. */
  #left = 0;
  #chunks: ChunkFraming | undefined;
  /** Bytes of the body with its framing, and of blank lines before the answer. */
  #bytes = 0;

  /** Reads the first `length` of the bytes, which are copied where they are kept. Throws InvalidAnswerError. */
  read(bytes: Buffer, length = bytes.length): void {
    let at = 0;
    while (at < length && this.end === undefined) {
      at = this.head ? this.#readBody(bytes, at, length) : this.#readHead(bytes, at, length);
    }
    if (at < length) this.end = 'cut';
  }

  #readHead(bytes: Buffer, from: number, length: number): number {
    let start = from;
    // Blank lines may precede an answer (RFC 9112, section 2.2).
    while (this.#text === '' && start < length && isLineEnd(bytes[start])) start++;
    this.#bytes += start - from;
    if (this.#bytes > HEAD_BYTES_MAX) throw new InvalidAnswerError('The head does not begin.');
    for (let at = start; at < length; at++) {
      const byte = bytes[at];
      if (byte === LF && this.#line === 0) {
        const head = answerHead(this.#bounded(bytes, start, at + 1));
        this.#text = '';
        return this.#begin(head, bytes, at + 1, length);
      }
      if (byte === LF) this.#line = 0;
      else if (byte !== CR) this.#line++;
    }
    this.#text = this.#bounded(bytes, start, length);
    if (!mayBeHead(this.#text)) throw new InvalidAnswerError('The answer is not HTTP/1.');
    return length;
  }

  /** The head as far as it has come. */
  #bounded(bytes: Buffer, from: number, to: number): string {
    const text = this.#text + bytes.toString('latin1', from, to);
    if (text.length > HEAD_BYTES_MAX) throw new InvalidAnswerError('The head has no end.');
    return text;
  }

  #begin(head: AnswerHead, bytes: Buffer, at: number, length: number): number {
    this.#isDoubtful ||= head.isDoubtful;
    if (head.statusCode < FINAL_STATUS_MIN) {
      const isEndless = ++this.#interim > INTERIM_RESPONSES_MAX;
      if (!isEndless && head.statusCode !== SWITCHING_PROTOCOLS) return at;
      throw new InvalidAnswerError('The interim responses lead to no answer.');
    }
    this.head = head;
    if (this.#isDoubtful) {
      this.#keep(bytes, at, length);
      this.end = 'cut';
      return length;
    }
    if (head.body === 'chunked') this.#chunks = new ChunkFraming();
    else this.#left = head.body;
    if (head.body === 0) this.#finish(true);
    return at;
  }

  #readBody(bytes: Buffer, from: number, length: number): number {
    let at = from;
    if (this.#left > 0) {
      at = Math.min(length, from + this.#left);
      this.#keep(bytes, from, at);
      this.#left -= at - from;
      if (this.#left === 0 && this.#chunks === undefined) this.#finish(true);
    } else if (this.#chunks !== undefined) {
      at = this.#chunks.read(bytes, from, length);
      this.#left = this.#chunks.size;
      if (this.#chunks.end !== undefined) this.#finish(this.#chunks.end === 'whole');
    }
    this.#bytes += at - from;
    if (this.#bytes > BODY_BYTES_MAX) this.end = 'cut';
    return at;
  }

  #keep(bytes: Buffer, from: number, to: number): void {
    const room = SAMPLE_BYTES_MAX - this.sample.length;
    if (room <= 0 || from === to) return;
    this.sample = Buffer.concat([this.sample, bytes.subarray(from, Math.min(to, from + room))]);
  }

  #finish(isWhole: boolean): void {
    this.end = isWhole && this.head?.idleMs !== 0 ? 'kept' : 'cut';
  }
}

const isLineEnd = (byte: number | undefined): boolean => byte === CR || byte === LF;
