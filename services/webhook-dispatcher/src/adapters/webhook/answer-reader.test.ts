import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { AnswerReader } from './answer-reader.js';

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

describe('an answer to the letter', () => {
  it.each([
    ['with a length', `${OK}Content-Length: 2\r\n\r\nok`, 'ok'],
    ['with a length of 0', `${OK}Content-Length: 0\r\n\r\n`, ''],
    ['in chunks', `${CHUNKED}1\r\no\r\n01\r\nk\r\n0\r\n\r\n`, 'ok'],
    [
      'in chunks with extensions and trailers',
      `${CHUNKED}A;a="b"\r\n0123456789\r\n0;x\r\nx-a: b\r\n\r\n`,
      '0123456789',
    ],
    ['without a reason', 'HTTP/1.1 200\r\ncontent-length:2\t\r\n\r\nok', 'ok'],
    ['after blank lines', `\r\n\n${OK}content-length: 2\r\n\r\nok`, 'ok'],
    [
      'after interim responses',
      `HTTP/1.1 103 Early\r\nlink: </a>\r\n\r\nHTTP/1.1 100\r\n\r\n${OK}content-length: 2\r\n\r\nok`,
      'ok',
    ],
    [
      'of HTTP/1.0 that keeps the connection',
      'HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 2\r\n\r\nok',
      'ok',
    ],
    [
      'without a body, whatever it says',
      'HTTP/1.1 204 None\r\ntransfer-encoding: chunked\r\n\r\n',
      '',
    ],
    ['of a status without a body', 'HTTP/1.1 304 Same\r\ncontent-length: 7\r\n\r\n', ''],
  ])('%s leaves its connection to the next one', (_, bytes, sample) => {
    expect(read(bytes)).toMatchObject({ end: 'kept', sample, isDoubtful: false });
  });

  it.each([
    ['says so', `${OK}Content-Length: 2\r\nConnection: x, CLOSE\r\n\r\nok`],
    ['asks for it soon', `${OK}Content-Length: 2\r\nKeep-Alive: timeout=2\r\n\r\nok`],
    ['is of HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok'],
    ['is followed by bytes', `${OK}Content-Length: 2\r\n\r\nok${OK}`],
    ['is followed by a second one', `${OK}Content-Length: 0\r\n\r\n${OK}\r\n`],
    ['breaks its chunks', `${CHUNKED}2\r\nok\r\nzz\r\n`],
    ['puts blanks behind the size of a chunk', `${CHUNKED}2 \r\nok\r\n0\r\n\r\n`],
    ['ends the lines of its chunks by line feeds', `${CHUNKED}2\nok\n0\n\n`],
    ['has a chunk longer than its size', `${CHUNKED}1\r\nok\r\n0\r\n\r\n`],
    ['has a chunk of a size beyond numbers', `${CHUNKED}ffffffffffffff\r\nok`],
    ['has a chunk without a size', `${CHUNKED};a\r\nok`],
    ['has a long extension', `${CHUNKED}2;${'a'.repeat(5_000)}`],
    ['ends a trailer by a line feed', `${CHUNKED}0\r\nx-a: b\n`],
    [
      'has a body longer than is read of any',
      `${OK}content-length: 200000\r\n\r\n${'x'.repeat(200_000)}`,
    ],
  ])('that %s has its connection cut', (_, bytes) => {
    expect(read(bytes)).toMatchObject({ statusCode: 200, end: 'cut', isDoubtful: false });
  });

  it.each([
    ['of no length', `${OK}\r\nok`],
    ['of a coding that is not chunks', `${OK}transfer-encoding: chunked, gzip\r\n\r\nok`],
    ['of a greater length', `${OK}content-length: 3\r\n\r\nok`],
    ['of chunks without an end', `${CHUNKED}2\r\nok\r\n0\r\n`],
  ])('%s has no end of its own', (_, bytes) => {
    expect(read(bytes)).toMatchObject({ statusCode: 200, end: undefined, sample: 'ok' });
  });

  it.each([
    ['', 4_000],
    ['keep-alive: timeout=5, max=100\r\n', 3_000],
    ['keep-alive: timeout=600\r\n', 30_000],
  ])('with %j lets its connection wait for %d ms', (line, idleMs) => {
    expect(read(`${OK}${line}content-length: 2\r\n\r\nok`)).toMatchObject({ idleMs });
  });

  it('may have a head of 64 KiB, and interim responses of as much before it', () => {
    const early = `HTTP/1.1 103 Early Hints\r\n${fieldsOf(60_000)}\r\n`;
    const answer = `${OK}${fieldsOf(60_000)}content-length: 2\r\n\r\nok`;
    const interim = `${early}${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)}`;
    for (const places of [[], [9, 30_000, 60_020, 61_001, 100_000]]) {
      const whole = read(interim + answer, places);
      expect(whole).toMatchObject({ statusCode: 200, end: 'kept', sample: 'ok' });
    }
  });

  it('keeps the order of its fields and 16 KiB of its body', () => {
    const body = 'x'.repeat(100_000);
    const fields = 'B:  b \r\nA: \xe4\r\nb:\r\nContent-Length: 100000\r\n';
    expect(read(`${OK}${fields}\r\n${body}`)).toMatchObject({
      lines: 'b: b\na: \xe4\nb: \ncontent-length: 100000',
      sample: body.slice(0, 16_384),
      end: 'kept',
    });
  });

  it('keeps 4 KiB of its fields, none of them cut', () => {
    const fields = `First: ${'x'.repeat(4_000)}\r\nSecond: ${'y'.repeat(200)}\r\nThird: z\r\n`;
    const answer = read(`${OK}${fields}content-length: 0\r\n\r\n`);
    expect(answer).toMatchObject({ lines: `first: ${'x'.repeat(4_000)}` });
  });
});

describe('a doubtful answer', () => {
  it('is read with single line feeds, folded lines and blanks', () => {
    const head =
      'HTTP/1.1 503  Busy \nRetry-After:\n\t 7 \nX-Long: a\r\n  b\nContent-Length : 2\n\nok';
    expect(read(head)).toMatchObject({
      statusCode: 503,
      lines: 'retry-after: 7\nx-long: a b\ncontent-length: 2',
      retryAfter: '\n7',
      sample: 'ok',
    });
  });

  it.each([
    `${OK}Content-Length: 2\r\ncontent-length: 2, 2\r\n\r\nok`,
    `${OK}Content-Length: x\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `${OK}Content-Length: \xa02\r\n\r\nok`,
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\nLink: </a>\n\n${OK}content-length: 0\r\n\r\n`,
    'HTTP/2.0 200 OK\r\ncontent-length: 0\r\n\r\n',
    `${OK}x-bell: \x07\r\ncontent-length: 0\r\n\r\n`,
    `${OK}x-return: a\rb\r\ncontent-length: 0\r\n\r\n`,
    `${OK}nothing\n\n`,
    `${OK}: value\n\n`,
    `${OK}x y: value\n\n`,
    `${OK}x-nul: a\0\n\n`,
    `${OK}Content-Length: 1\nContent-Length: 2\n\n`,
    `${OK}Content-Length: 1, 2\r\n\r\n`,
    `${OK}Content-Length: -1\n\n`,
    `${OK}Content-Length:\n\n`,
    `${OK}x-long: ${'x'.repeat(66_000)}`,
    `${OK}x-long: ${'x'.repeat(66_000)}\r\ncontent-length: 0\r\n\r\n`,
  ])('counts, and its connection is cut: %j', (bytes) => {
    expect(read(bytes)).toMatchObject({ statusCode: 200, end: 'cut' });
  });

  it('keeps the lines that are fields, as far as its head is read', () => {
    const head = `HTTP/1.1 429 Slow\r\nRetry-After: 7200\r\nnothing\r\n${fieldsOf(65_000)}`;
    expect(read(`${head}Retry-After: ${'9'.repeat(600)}`)).toMatchObject({
      statusCode: 429,
      lines: expect.stringMatching(/^retry-after: 7200\nx-pad: /),
      retryAfter: '\n7200',
      end: 'cut',
    });
  });
});

describe('an answer that breaks off in its head', () => {
  it.each([
    ['HTTP/1.1 410 Gone\r\n', 410, ''],
    ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Busy\r\nRetry-After: 72\r\nx-b', 503, '\n72'],
    ['HTTP/1.1 503 Busy\nRetry-After: 72', 503, ''],
  ])('has the status whose line has come: %j', (bytes, statusCode, retryAfter) => {
    expect(read(bytes)).toEqual({ end: undefined, sample: '' });
    expect(closed(bytes)).toMatchObject({ statusCode, retryAfter, isDoubtful: true });
  });

  it.each(['', 'HTTP/1.1 200 O', 'HTTP/1.1 103 Early\r\nlink: </a>\r\n'])(
    'has no status before that: %j',
    (bytes) => {
      expect(closed(bytes)).toBeUndefined();
    },
  );

  it('keeps the status that came whole', () => {
    expect(closed(`${OK}content-length: 9\r\n\r\nHTTP/1.1 500\n`)?.statusCode).toBe(200);
  });
});

describe('bytes that are no answer', () => {
  it.each([
    'hello',
    'HTTQ',
    'HTTP/2 200\r\n',
    'HTTP/1.1 20\n',
    'HTTP/1.1 2000 OK\n',
    'HTTP/1.1 099 Low\r\n\r\n',
    'HTTP/1.1 101 Switching Protocols\n\n',
    'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3_000),
    `HTTP/1.1 103 Early\r\nlink: ${'x'.repeat(66_000)}`,
    `HTTP/1.1 200 ${'x'.repeat(66_000)}`,
    '\r\n'.repeat(33_000),
  ])('are refused as soon as that is known: %j', (bytes) => {
    expect(read(bytes)).toBe('InvalidAnswerError');
  });
});

describe('any bytes', () => {
  const pieces = [
    '\r',
    '\n',
    '\r\n',
    ' ',
    '\t',
    ':',
    ';',
    'a',
    ',',
    '1',
    '0',
    '\0',
    'ok',
    OK,
    CHUNKED,
    '\r\n\r\n',
    'Content-Length: 2',
    'Connection: close',
    'HTTP/1.1 103 Early\r\n\r\n',
    '2\r\nok\r\n0\r\n\r\n',
  ];
  const answers = fc
    .tuple(
      fc.constantFrom('', OK, CHUNKED, `${OK}content-length: 3\r\n`),
      // The last piece brings a head to its bound.
      fc.array(fc.constantFrom(...pieces, `x:${' '.repeat(16_384)}\r\n`), { maxLength: 12 }),
    )
    .map(([begin, others]) => begin + others.join(''));

  it('give the same answer however they are split', () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat(200), { maxLength: 8 }), (bytes, places) => {
        expect(withoutDoubts(read(bytes, places))).toEqual(withoutDoubts(read(bytes)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('are read soon, whatever they are made of', () => {
    const piece = fc.tuple(fc.constantFrom(...pieces), fc.integer({ min: 1, max: 30_000 }));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 3 }), (parts) => {
        const head = parts.map(([text, times]) => text.repeat(times).slice(0, 30_000)).join('');
        expect(read(`${OK}x: ${head}`)).toBeDefined();
      }),
    );
  });
});

/** A doubtful answer has the sample that came with its head: nobody waits for more of it. */
const withoutDoubts = (answer: ReturnType<typeof read>) =>
  typeof answer === 'object' && answer.isDoubtful ? { ...answer, sample: '' } : answer;

/** Fields of about so many bytes, in lines of 500. */
const fieldsOf = (bytes: number): string => `x-pad: ${'y'.repeat(491)}\r\n`.repeat(bytes / 500);

/** Returns the head of an answer whose bytes end here. */
function closed(text: string) {
  const reader = new AnswerReader();
  reader.read(Buffer.from(text, 'latin1'));
  reader.close();
  return reader.head;
}

/** Reads bytes, each character one, in pieces that end at these places. */
function read(text: string, places: readonly number[] = []) {
  const bytes = Buffer.from(text, 'latin1');
  const ends = [...places, bytes.length].map((place) => Math.min(place, bytes.length));
  const reader = new AnswerReader();
  let at = 0;
  try {
    for (const to of ends.toSorted((one, other) => one - other)) {
      if (reader.end !== undefined) break;
      reader.read(bytes.subarray(at, to));
      at = to;
    }
  } catch (error) {
    return (error as Error).name;
  }
  const { head, end, sample } = reader;
  // Bytes behind an answer cut its connection when they come, and nothing else.
  const isCut = end === 'kept' && at < bytes.length ? 'cut' : end;
  return { ...head, end: isCut, sample: sample.toString('latin1') };
}
