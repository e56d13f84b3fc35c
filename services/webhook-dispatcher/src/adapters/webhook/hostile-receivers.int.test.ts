import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { LONG_MS, type Observed, useObservedAttempts } from '../../../test/observed-attempts.js';
import {
  answering,
  dripping,
  ending,
  flooding,
  OK,
  type RawReceiver,
} from '../../../test/raw-receivers.js';

const MANY_BYTES = 1_000_000_000;

/** A receiver by its behaviour, the result of the attempt, and further observations. */
type Row = readonly [does: string, receiver: RawReceiver, result: string, more?: More];

interface More {
  /** Status of the response; absent: 200 of a success, none of a failure. */
  readonly status?: number;
  readonly sample?: Buffer | string;
  /** The connection is not used again although the attempt succeeded. */
  readonly cut?: true;
}

const bomb = gzipSync(Buffer.alloc(20_000_000));
const sized = (bytes: number) => `${OK}content-encoding: gzip\r\ncontent-length: ${bytes}\r\n\r\n`;
const CHUNK = Buffer.alloc(65_536, 'x');
const KEPT = Buffer.alloc(16_384, 'x');
const CHUNKS = 'transfer-encoding: chunked';
const CHUNKED = `${OK}${CHUNKS}\r\n\r\n`;
const CHUNK_OF_1 = '1\r\na\r\n0\r\n\r\n';
const LENGTH = 'content-length: 1';
const MUCH = 'x-much: '.padEnd(498, 'y').concat('\r\n').repeat(34);
/** The status counts, and the connection is not used again. */
const DOUBTFUL = ['succeeded', { cut: true }] as const;
const NO_TEXT = Buffer.from([0xff, 0x00, 0xc0, 0x00]);
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';

/** Answers with these headers, in an answer that names its own length or none. */
const naming = (headers: string, body = '') => answering(`${OK}${headers}\r\n\r\n${body}`);

const early: RawReceiver = (socket) =>
  void socket.once('readable', () => socket.write(`${OK}content-length: 5\r\n\r\nearly`));
const resetting: RawReceiver = (socket) => void socket.once('data', () => socket.resetAndDestroy());
const older: RawReceiver = (socket) =>
  void socket.resume().once('data', () => socket.end('HTTP/1.0 200 OK\r\n\r\nolder'));

const ROWS: readonly Row[] = [
  ['accepts and never answers', () => {}, 'timeout'],
  ['reads the request and never answers', (socket) => void socket.resume(), 'timeout'],
  ['sends its headers byte by byte', dripping(`${OK}x-slow: `, 'a'), 'timeout', { status: 200 }],
  [
    'sends its body byte by byte',
    dripping(`${OK}content-length: 100000\r\n\r\n`, 'a'),
    'timeout',
    { status: 200 },
  ],
  ['sends its chunks byte by byte', dripping(CHUNKED, '1\r\na\r\n'), 'timeout', { status: 200 }],
  [
    'sends a body without end',
    flooding(`${OK}\r\n`, CHUNK),
    'succeeded',
    { sample: KEPT, cut: true },
  ],
  [
    'sends a body of 1 GB',
    flooding(`${OK}content-length: ${MANY_BYTES}\r\n\r\n`, CHUNK, MANY_BYTES),
    'succeeded',
    { sample: KEPT, cut: true },
  ],
  [
    'sends a gzip bomb',
    answering(sized(bomb.length), bomb),
    'succeeded',
    { sample: bomb.subarray(0, 16_384) },
  ],
  [
    'cuts its gzip off where it ends',
    answering(sized(100), bomb.subarray(0, 100)),
    'succeeded',
    { sample: bomb.subarray(0, 100) },
  ],
  [
    'cuts its gzip off before it ends',
    ending(Buffer.concat([Buffer.from(sized(200)), bomb.subarray(0, 100)])),
    'succeeded',
    { sample: bomb.subarray(0, 100), cut: true },
  ],
  ['sends 17 KB of headers', naming(`${MUCH}${LENGTH}`, 'a'), 'succeeded', { sample: 'a' }],
  [
    'sends a cookie of 20 KB',
    naming(`set-cookie: ${'a'.repeat(20_000)}\r\n${LENGTH}`, 'a'),
    'succeeded',
  ],
  ['sends 68 KB of headers', naming(MUCH.repeat(4)), ...DOUBTFUL],
  ['sends headers without end', flooding(OK, Buffer.from(MUCH)), ...DOUBTFUL],
  [
    'is gone, in an answer with 17 KB of headers',
    answering(`HTTP/1.1 410 Gone\r\n${MUCH}content-length: 0\r\n\r\n`),
    'http_410',
    { status: 410 },
  ],
  [
    'is gone, in an answer that breaks off in its headers',
    ending('HTTP/1.1 410 Gone\r\nconnection: cl'),
    'http_410',
    { status: 410, cut: true },
  ],
  [
    'sends hints of 17 KB before its answer',
    answering(`HTTP/1.1 103 Early Hints\r\n${MUCH}\r\n${OK}${LENGTH}\r\n\r\na`),
    'succeeded',
    { sample: 'a' },
  ],
  [
    'says a hundred times that it is at work',
    answering(`${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)}${OK}${LENGTH}\r\n\r\na`),
    'succeeded',
    { sample: 'a' },
  ],
  ['resets the connection after the request', resetting, 'connection_lost'],
  ['closes the connection after the request', ending(), 'connection_lost'],
  ['closes the connection at once', (socket) => void socket.destroy(), 'connection_lost'],
  ['answers in HTTP/1.0 and ends by closing', older, 'succeeded', { sample: 'older' }],
  ['answers in HTTP/2', answering(Buffer.from('000012040000000000', 'hex')), 'invalid_response'],
  ['answers in SMTP', answering('220 mail\r\n'), 'invalid_response'],
  [
    'sends invalid UTF-8 and NUL',
    answering(`${OK}content-length: 4\r\n\r\n`, NO_TEXT),
    'succeeded',
    { sample: NO_TEXT },
  ],
  [
    'sends 1xx without end',
    flooding('', Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100))),
    'invalid_response',
  ],
  ['sends 100 without end', flooding('', Buffer.from(CONTINUE.repeat(100))), 'invalid_response'],
  [
    'sends a 100 that nobody asked for before its answer',
    answering(`${CONTINUE}${CONTINUE}${OK}content-length: 2\r\n\r\nok`),
    'succeeded',
    { sample: 'ok' },
  ],
  ['wants another protocol', answering(UPGRADE), 'invalid_response'],
  ['names two lengths', naming('content-length: 1\r\ncontent-length: 2', 'ab'), ...DOUBTFUL],
  ['names a length twice', naming('content-length: 1\r\ncontent-length: 1', 'a'), ...DOUBTFUL],
  ['names a length twice in one line', naming('content-length: 1, 1', 'a'), ...DOUBTFUL],
  ['names two lengths in one line', naming('content-length: 1, 2', 'ab'), ...DOUBTFUL],
  ['names a length and chunks', naming(`${LENGTH}\r\n${CHUNKS}`, CHUNK_OF_1), ...DOUBTFUL],
  ['names chunks and a length', naming(`${CHUNKS}\r\n${LENGTH}`, CHUNK_OF_1), ...DOUBTFUL],
  ['ends its lines by line feeds', answering('HTTP/1.1 200 OK\nx-a: b\n\na'), ...DOUBTFUL],
  ['folds a header', naming(`x-long: a\r\n b\r\n${LENGTH}`, 'a'), ...DOUBTFUL],
  ['puts blanks before a colon', naming('content-length : 1', 'a'), ...DOUBTFUL],
  [
    'puts blanks before its status',
    answering(`HTTP/1.1  200 OK\r\n${LENGTH}\r\n\r\na`),
    ...DOUBTFUL,
  ],
  [
    'has a head with line feeds after interim responses',
    answering(`${CONTINUE}HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\n\na`),
    ...DOUBTFUL,
  ],
  [
    'is gone, in an answer of both framings',
    answering(`HTTP/1.1 410 Gone\r\n${LENGTH}\r\n${CHUNKS}\r\n\r\n${CHUNK_OF_1}`),
    'http_410',
    { status: 410, cut: true },
  ],
  ['has a header without a colon', naming('x-nothing'), ...DOUBTFUL],
  ['has NUL in a header', naming('x-nul: a\0b'), ...DOUBTFUL],
  ['puts blanks after the size of a chunk', answering(`${CHUNKED}1 \r\na\r\n`), ...DOUBTFUL],
  [
    'ends its last chunk by closing',
    ending(`${CHUNKED}${CHUNK_OF_1.slice(0, -2)}`),
    'succeeded',
    { sample: 'a', cut: true },
  ],
  ['names a length that is none', naming('content-length: -1'), ...DOUBTFUL],
  ['breaks its chunks', answering(`${CHUNKED}zz\r\n`), ...DOUBTFUL],
  [
    'ends before its last chunk',
    ending(`${CHUNKED}1\r\na\r\n`),
    'succeeded',
    { sample: 'a', cut: true },
  ],
  ['answers 200 before it has read the request', early, 'succeeded', { sample: 'early' }],
  [
    'answers twice',
    naming('content-length: 1', `a${OK}content-length: 1\r\n\r\nb`),
    'succeeded',
    { sample: 'a' },
  ],
  [
    'answers with a status that does not exist',
    answering('HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n'),
    'http_999',
    { status: 999 },
  ],
  ...[204, 205].map((status): Row => {
    const receiver = answering(`HTTP/1.1 ${status} None\r\ncontent-length: 5\r\n\r\nstray`);
    return [`answers ${status} with a stray body`, receiver, 'succeeded', { status, cut: true }];
  }),
  [
    'answers 204 with a stray body of chunks',
    answering('HTTP/1.1 204 None\r\ntransfer-encoding: chunked\r\n\r\n5\r\nstray\r\n0\r\n\r\n'),
    'succeeded',
    { status: 204, cut: true },
  ],
  [
    'answers 204 with a stray body of no length',
    answering('HTTP/1.1 204 None\r\n\r\nstray'),
    'succeeded',
    { status: 204, cut: true },
  ],
  ...[300, 301, 302, 303, 304, 305, 307, 308].map((status): Row => {
    const headers = 'location: http://127.0.0.1:9/\r\ncontent-length: 0';
    const receiver = answering(`HTTP/1.1 ${status} Elsewhere\r\n${headers}\r\n\r\n`);
    return [`redirects with ${status}`, receiver, `http_${status}`, { status }];
  }),
];

const observe = useObservedAttempts();
const observed = new Map<string, Observed>();

// Receivers run all at once: most attempts last until their deadline.
beforeAll(async () => {
  await Promise.all(
    ROWS.map(async ([does, receiver, result, { status, cut } = {}]) => {
      const isKept = cut !== true && /^succeeded|^http_/.test(result);
      const server = net.createServer(receiver);
      observed.set(does, await observe({ server, result, status, isKept }));
    }),
  );
}, 2 * LONG_MS);

describe('a receiver that', () => {
  it.each(ROWS)('%s', (does, _, result, { status, sample } = {}) => {
    const { record } = of(does);
    const expected = status ?? (result === 'succeeded' ? 200 : null);
    expect({ result: record.result, status: record.httpStatus }).toEqual({
      result,
      status: expected,
    });
    if (sample !== undefined)
      expect(record.sample.equals(Buffer.from(sample as string))).toBe(true);
  });

  it.each([
    'sends a body without end',
    'sends a body of 1 GB',
    'sends headers without end',
    'sends 1xx without end',
  ])('%s gets little of it across', (does) => {
    expect(of(does).bytesWritten).toBeLessThan(32 * 1_024 * 1_024);
  });
});

const of = (does: string): Observed => observed.get(does) as Observed;
