import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CertificateAuthority,
  type CertificateRequest,
  certificateAuthority,
  eventually,
} from '@junction/testing';
import {
  answering,
  dripping,
  flooding,
  OK,
  type RawReceiver,
} from '../../../test/raw-receivers.js';
import type { AttemptRecord } from '../../application/sending/job.js';
import { webhookSender } from './sender.js';

/** The deadline of an attempt that has to miss it; the longer ones are for a machine that is slow. */
const SHORT_MS = [500, 2_000, 8_000, 30_000];
/** Deadline of an attempt that ends by itself. */
const LONG_MS = 45_000;
const BODY = Buffer.from(`{"data":"${'x'.repeat(200_000)}"}`);
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
/** The status counts, and the connection is not used again. */
const DOUBTFUL = ['succeeded', { cut: true }] as const;
const NO_TEXT = Buffer.from([0xff, 0x00, 0xc0, 0x00]);
/** An alert of TLS: fatal, certificate_required (RFC 8446, section 6). */
const CERTIFICATE_REQUIRED = Buffer.from('15030300020274', 'hex');
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n';

/** Says its last words when the request begins to arrive. */
const ending =
  (words?: string | Buffer): RawReceiver =>
  (socket) =>
    void socket.once('data', () => (words === undefined ? socket.end() : socket.end(words)));

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
  ['sends its headers byte by byte', dripping(`${OK}x-slow: `, 'a'), 'timeout'],
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
  [
    'sends 64 KB of headers',
    answering(`${OK}${'x-much: '.padEnd(1_022, 'y').concat('\r\n').repeat(64)}\r\n`),
    'invalid_response',
  ],
  [
    'sends headers without end',
    flooding(OK, Buffer.from(`x-much: ${'y'.repeat(1_000)}\r\n`)),
    'invalid_response',
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
  ['names two lengths', naming('content-length: 1\r\ncontent-length: 2', 'ab'), 'invalid_response'],
  ['names a length twice', naming('content-length: 1\r\ncontent-length: 1', 'a'), ...DOUBTFUL],
  ['names a length twice in one line', naming('content-length: 1, 1', 'a'), ...DOUBTFUL],
  ['names two lengths in one line', naming('content-length: 1, 2', 'ab'), 'invalid_response'],
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
  ['has a header without a colon', naming('x-nothing'), 'invalid_response'],
  ['has NUL in a header', naming('x-nul: a\0b'), 'invalid_response'],
  ['puts blanks after the size of a chunk', answering(`${CHUNKED}1 \r\na\r\n`), ...DOUBTFUL],
  [
    'ends its last chunk by closing',
    ending(`${CHUNKED}${CHUNK_OF_1.slice(0, -2)}`),
    'succeeded',
    { sample: 'a', cut: true },
  ],
  ['names a length that is none', naming('content-length: -1'), 'invalid_response'],
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

type Start = () => Promise<net.Server>;

const presenting =
  (request: CertificateRequest): Start =>
  async () =>
    tls.createServer(await authority.issue(request), answering(`${OK}\r\n`));

const plain =
  (receiver: RawReceiver): Start =>
  async () =>
    net.createServer(receiver);

const withoutLater: Start = async () =>
  tls.createServer({ ...(await authority.issue()), minVersion: 'TLSv1', maxVersion: 'TLSv1.1' });

const askingForOurs: Start = async () => {
  const own = { ...(await authority.issue()), ca: [authority.certificate] };
  const asking = { ...own, requestCert: true, rejectUnauthorized: true };
  return tls.createServer(asking, answering(`${OK}\r\n`));
};

const DAY_MS = 86_400_000;
const EXPIRED = { notBeforeDate: new Date(0), notAfterDate: new Date(DAY_MS) };
const TOMORROW = {
  notBeforeDate: new Date(Date.now() + DAY_MS),
  notAfterDate: new Date(Date.now() + 2 * DAY_MS),
};

/** Receivers at the other end of https:// that do not come as far as an answer. */
const TLS_ROWS: readonly (readonly [does: string, start: Start, result: string])[] = [
  ['never answers the handshake', plain((socket) => void socket.resume()), 'timeout'],
  [
    'answers the handshake byte by byte',
    plain(dripping('\x16\x03\x03\x40\x00', '\x02\x00')),
    'timeout',
  ],
  ['closes during the handshake', plain(ending()), 'connection_lost'],
  [
    'speaks HTTP where TLS belongs',
    plain(answering('HTTP/1.1 400 Bad Request\r\n\r\n')),
    'tls_not_spoken',
  ],
  ['has an expired certificate', presenting(EXPIRED), 'tls_certificate_expired'],
  ['has a certificate of the future', presenting(TOMORROW), 'tls_certificate_not_yet_valid'],
  [
    'has a certificate of another name',
    presenting({ name: 'other.customer.com' }),
    'tls_name_mismatch',
  ],
  ['has signed its certificate itself', presenting({ selfSigned: true }), 'tls_self_signed'],
  [
    'has a certificate of an unknown authority',
    async () => tls.createServer(await stranger.issue(), answering(`${OK}\r\n`)),
    'tls_unknown_issuer',
  ],
  [
    'leaves out the intermediate authority of its certificate',
    presenting({ issuer: 'absent' }),
    'tls_unknown_issuer',
  ],
  [
    'has a certificate of an issuer that is no authority',
    presenting({ issuer: 'powerless' }),
    'tls_failed',
  ],
  ['has a certificate for clients only', presenting({ clientOnly: true }), 'tls_failed'],
  ['knows only TLS 1.1', withoutLater, 'tls_protocol_too_old'],
  [
    'asks for a certificate of ours, and says so',
    plain(ending(CERTIFICATE_REQUIRED)),
    'tls_client_certificate_wanted',
  ],
  ['asks for a certificate of ours, and hangs up', askingForOurs, 'connection_lost'],
];

interface Observed {
  readonly record: AttemptRecord;
  /** Bytes that the receiver could write, including those in the buffers of the kernel. */
  readonly bytesWritten: number;
}

const closing: { close(): unknown }[] = [];
const observed = new Map<string, Observed>();
let authority: CertificateAuthority;
let stranger: CertificateAuthority;

// Receivers run all at once: most attempts last until their deadline.
beforeAll(async () => {
  [authority, stranger] = [await certificateAuthority(), await certificateAuthority()];
  closing.push(authority, stranger);
  await Promise.all([
    ...ROWS.map(async ([does, receiver, result, { status, cut } = {}]) => {
      const isKept = cut !== true && /^succeeded|^http_/.test(result);
      const server = net.createServer(receiver);
      observed.set(does, await observe({ scheme: 'http', server, result, status, isKept }));
    }),
    ...TLS_ROWS.map(async ([does, start, result]) => {
      const server = await start();
      observed.set(does, await observe({ scheme: 'https', server, result, isKept: false }));
    }),
  ]);
}, 2 * LONG_MS);

afterAll(async () => {
  for (const one of closing) await one.close();
});

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

  it.each(TLS_ROWS)('%s', (does, _, result) => {
    const { result: seen, httpStatus, outcome } = of(does).record;
    expect({ seen, httpStatus }).toEqual({ seen: result, httpStatus: null });
    expect(outcome).toEqual({ kind: 'failed', reason: result, retryAfterMs: 0 });
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

interface Attempt {
  readonly scheme: string;
  readonly server: net.Server;
  readonly result: string;
  readonly status?: number | undefined;
  /** The connection waits for the next request. */
  readonly isKept: boolean;
}

async function observe({ scheme, server, result, status, isKept }: Attempt): Promise<Observed> {
  const sockets = await listening(server);
  const { port } = server.address() as net.AddressInfo;
  const url = `${scheme}://127.0.0.1:${port}/in`;
  if (result !== 'timeout') {
    const record = await attempt(url, LONG_MS);
    if (!isKept) await eventually(() => expect(stillOpen(sockets)).toBe(0));
    return { record, bytesWritten: bytesOf(sockets) };
  }
  for (const deadlineMs of SHORT_MS) {
    const record = await attempt(url, deadlineMs);
    await eventually(() => expect(stillOpen(sockets)).toBe(0));
    if (record.httpStatus === (status ?? null)) return { record, bytesWritten: bytesOf(sockets) };
  }
  throw new Error('The receiver was not reached within any deadline.');
}

async function attempt(url: string, attemptTimeoutMs: number): Promise<AttemptRecord> {
  const extraCa = authority.certificate;
  const sender = webhookSender({ allowPrivate: true, attemptTimeoutMs, extraCa });
  closing.push(sender);
  const headers = { 'content-type': 'application/json' };
  return sender.send({ url, headers, body: BODY, startedAt: new Date() });
}

async function listening(server: net.Server): Promise<readonly net.Socket[]> {
  const sockets: net.Socket[] = [];
  server.on('connection', (socket: net.Socket) => {
    sockets.push(socket.on('error', () => {}));
  });
  server.on('secureConnection', (socket: net.Socket) => void socket.on('error', () => {}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push({
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return sockets;
}

const bytesOf = (sockets: readonly net.Socket[]): number =>
  sockets.reduce((sum, socket) => sum + socket.bytesWritten, 0);

/** Counts open connections. Each is read first: without reading, a receiver does not see the end of its connection. */
const stillOpen = (sockets: readonly net.Socket[]): number =>
  sockets.filter((socket) => !socket.resume().closed).length;
