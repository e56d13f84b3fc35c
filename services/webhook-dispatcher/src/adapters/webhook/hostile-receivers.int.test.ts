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
import type { SendRecord } from '../../application/dispatch/send-attempt.js';
import { webhookSender } from './sender.js';

/** The deadline of an attempt that has to miss it; the longer ones are for a machine that is slow. */
const SHORT_MS = [500, 2_000, 8_000, 30_000];
/** Of one that ends by itself. */
const LONG_MS = 45_000;
const BODY = Buffer.from(`{"data":"${'x'.repeat(200_000)}"}`);
const MANY_BYTES = 1_000_000_000;

interface Row {
  /** What the receiver does. */
  readonly does: string;
  readonly receiver: RawReceiver;
  readonly result: string;
  readonly status?: number | null;
  readonly sample?: Buffer | string;
  /** The connection is not used again although the attempt succeeded. */
  readonly cut?: true;
}

type Start = () => Promise<net.Server>;

const presenting =
  (wish: CertificateRequest): Start =>
  async () =>
    tls.createServer(await authority.issue(wish), answering(`${OK}\r\n`));

const bomb = gzipSync(Buffer.alloc(20_000_000));
const sized = (bytes: number) => `${OK}content-encoding: gzip\r\ncontent-length: ${bytes}\r\n\r\n`;

const ROWS: readonly Row[] = [
  { does: 'accepts and never answers', receiver: () => {}, result: 'timeout' },
  {
    does: 'reads the request and never answers',
    receiver: (socket) => void socket.resume(),
    result: 'timeout',
  },
  {
    does: 'sends its headers byte by byte',
    receiver: dripping(`${OK}x-slow: `, 'a'),
    result: 'timeout',
  },
  {
    does: 'sends its body byte by byte',
    receiver: dripping(`${OK}content-length: 100000\r\n\r\n`, 'a'),
    result: 'timeout',
    status: 200,
  },
  {
    does: 'sends its chunks byte by byte',
    receiver: dripping(`${OK}transfer-encoding: chunked\r\n\r\n`, '1\r\na\r\n'),
    result: 'timeout',
    status: 200,
  },
  {
    does: 'sends a body without end',
    receiver: flooding(`${OK}\r\n`, Buffer.alloc(65_536, 'x')),
    result: 'succeeded',
    status: 200,
    sample: Buffer.alloc(16_384, 'x'),
    cut: true,
  },
  {
    does: 'sends a body of 1 GB',
    receiver: flooding(
      `${OK}content-length: ${MANY_BYTES}\r\n\r\n`,
      Buffer.alloc(65_536, 'x'),
      MANY_BYTES,
    ),
    result: 'succeeded',
    status: 200,
    sample: Buffer.alloc(16_384, 'x'),
    cut: true,
  },
  {
    does: 'sends a gzip bomb',
    receiver: answering(sized(bomb.length), bomb),
    result: 'succeeded',
    status: 200,
    sample: bomb.subarray(0, 16_384),
  },
  {
    does: 'cuts its gzip off where it ends',
    receiver: answering(sized(100), bomb.subarray(0, 100)),
    result: 'succeeded',
    status: 200,
    sample: bomb.subarray(0, 100),
  },
  {
    does: 'cuts its gzip off before it ends',
    receiver: (socket) => {
      socket.once('data', () =>
        socket.end(Buffer.concat([Buffer.from(sized(200)), bomb.subarray(0, 100)])),
      );
    },
    result: 'connection_lost',
    status: 200,
    sample: bomb.subarray(0, 100),
  },
  {
    does: 'sends 64 KB of headers',
    receiver: answering(`${OK}${'x-much: '.padEnd(1_022, 'y').concat('\r\n').repeat(64)}\r\n`),
    result: 'invalid_response',
  },
  {
    does: 'sends headers without end',
    receiver: flooding(OK, Buffer.from(`x-much: ${'y'.repeat(1_000)}\r\n`)),
    result: 'invalid_response',
  },
  {
    does: 'resets the connection after the request',
    receiver: (socket) => void socket.once('data', () => socket.resetAndDestroy()),
    result: 'connection_lost',
  },
  {
    does: 'closes the connection after the request',
    receiver: (socket) => void socket.once('data', () => socket.end()),
    result: 'connection_lost',
  },
  {
    does: 'closes the connection at once',
    receiver: (socket) => void socket.destroy(),
    result: 'connection_lost',
  },
  {
    does: 'answers in HTTP/1.0 and ends by closing',
    receiver: (socket) => {
      socket.resume().once('data', () => socket.end('HTTP/1.0 200 OK\r\n\r\nolder'));
    },
    result: 'succeeded',
    status: 200,
    sample: 'older',
  },
  {
    does: 'answers in HTTP/2',
    receiver: answering(Buffer.from('000012040000000000', 'hex')),
    result: 'invalid_response',
  },
  { does: 'answers in SMTP', receiver: answering('220 mail\r\n'), result: 'invalid_response' },
  {
    does: 'sends invalid UTF-8 and NUL',
    receiver: answering(`${OK}content-length: 4\r\n\r\n`, Buffer.from([0xff, 0x00, 0xc0, 0x00])),
    result: 'succeeded',
    status: 200,
    sample: Buffer.from([0xff, 0x00, 0xc0, 0x00]),
  },
  {
    does: 'sends 1xx without end',
    receiver: flooding('', Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100))),
    result: 'invalid_response',
  },
  {
    does: 'sends a 100 that nobody asked for',
    receiver: answering('HTTP/1.1 100 Continue\r\n\r\n'),
    result: 'invalid_response',
  },
  {
    does: 'wants another protocol',
    receiver: answering(
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ),
    result: 'invalid_response',
  },
  {
    does: 'names two lengths',
    receiver: answering(`${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`),
    result: 'invalid_response',
  },
  {
    does: 'names a length and chunks',
    receiver: answering(
      `${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`,
    ),
    result: 'invalid_response',
  },
  {
    does: 'names a length that is none',
    receiver: answering(`${OK}content-length: -1\r\n\r\n`),
    result: 'invalid_response',
  },
  {
    does: 'breaks its chunks',
    receiver: answering(`${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`),
    result: 'invalid_response',
    status: 200,
  },
  {
    does: 'ends before its last chunk',
    receiver: (socket) => {
      socket.once('data', () => socket.end(`${OK}transfer-encoding: chunked\r\n\r\n1\r\na\r\n`));
    },
    result: 'connection_lost',
    status: 200,
    sample: 'a',
  },
  {
    does: 'answers 200 before it has read the request',
    receiver: (socket) => {
      socket.once('readable', () => socket.write(`${OK}content-length: 5\r\n\r\nearly`));
    },
    result: 'succeeded',
    status: 200,
    sample: 'early',
  },
  {
    does: 'answers twice',
    receiver: answering(`${OK}content-length: 1\r\n\r\na${OK}content-length: 1\r\n\r\nb`),
    result: 'succeeded',
    status: 200,
    sample: 'a',
  },
  {
    does: 'answers with a status that does not exist',
    receiver: answering('HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n'),
    result: 'http_999',
    status: 999,
  },
  ...[300, 301, 302, 303, 304, 305, 307, 308].map((status) => ({
    does: `redirects with ${status}`,
    receiver: answering(
      `HTTP/1.1 ${status} Elsewhere\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n`,
    ),
    result: `http_${status}`,
    status,
  })),
];

/** Receivers at the other end of https:// that do not come as far as an answer. */
const TLS_ROWS: readonly {
  readonly does: string;
  readonly result: string;
  readonly start: Start;
}[] = [
  {
    does: 'never answers the handshake',
    result: 'timeout',
    start: async () => net.createServer((socket) => void socket.resume()),
  },
  {
    does: 'answers the handshake byte by byte',
    result: 'timeout',
    start: async () => net.createServer(dripping('\x16\x03\x03\x40\x00', '\x02\x00')),
  },
  {
    does: 'closes during the handshake',
    result: 'connection_lost',
    start: async () => net.createServer((socket) => void socket.once('data', () => socket.end())),
  },
  {
    does: 'speaks HTTP where TLS belongs',
    result: 'tls_failed',
    start: async () => net.createServer(answering('HTTP/1.1 400 Bad Request\r\n\r\n')),
  },
  {
    does: 'has an expired certificate',
    result: 'tls_failed',
    start: presenting({ notBeforeDate: new Date(0), notAfterDate: new Date(86_400_000) }),
  },
  {
    does: 'has a certificate of the future',
    result: 'tls_failed',
    start: presenting({
      notBeforeDate: new Date(Date.now() + 86_400_000),
      notAfterDate: new Date(Date.now() + 172_800_000),
    }),
  },
  {
    does: 'has a certificate of another name',
    result: 'tls_failed',
    start: presenting({ name: 'other.customer.com' }),
  },
  {
    does: 'has signed its certificate itself',
    result: 'tls_failed',
    start: presenting({ selfSigned: true }),
  },
  {
    does: 'has a certificate of an unknown authority',
    result: 'tls_failed',
    start: async () => tls.createServer(await stranger.issue(), answering(`${OK}\r\n`)),
  },
  {
    does: 'leaves out the intermediate authority of its certificate',
    result: 'tls_failed',
    start: presenting({ issuer: 'absent' }),
  },
  {
    does: 'has a certificate of an issuer that is no authority',
    result: 'tls_failed',
    start: presenting({ issuer: 'powerless' }),
  },
  {
    does: 'has a certificate for clients only',
    result: 'tls_failed',
    start: presenting({ clientOnly: true }),
  },
  {
    does: 'knows only TLS 1.1',
    result: 'tls_failed',
    start: async () =>
      tls.createServer({
        ...(await authority.issue()),
        minVersion: 'TLSv1',
        maxVersion: 'TLSv1.1',
      }),
  },
  {
    does: 'asks for a certificate of ours',
    result: 'connection_lost',
    start: async () =>
      tls.createServer(
        {
          ...(await authority.issue()),
          requestCert: true,
          rejectUnauthorized: true,
          ca: [authority.certificate],
        },
        answering(`${OK}\r\n`),
      ),
  },
];

interface Observed {
  readonly record: SendRecord;
  /** What the receiver got rid of, the kernel's buffers included. */
  readonly bytesWritten: number;
}

const closing: { close(): unknown }[] = [];
const observed = new Map<string, Observed>();
let authority: CertificateAuthority;
let stranger: CertificateAuthority;

// All at once: most of them last until the deadline of the attempt.
beforeAll(async () => {
  [authority, stranger] = [await certificateAuthority(), await certificateAuthority()];
  closing.push(authority, stranger);
  await Promise.all([
    ...ROWS.map(async (row) => {
      const isKept = row.cut !== true && /^succeeded|^http_/.test(row.result);
      const attempt = { ...row, scheme: 'http', server: net.createServer(row.receiver), isKept };
      observed.set(row.does, await observe(attempt));
    }),
    ...TLS_ROWS.map(async ({ start, ...row }) => {
      const attempt = { ...row, scheme: 'https', server: await start(), isKept: false };
      observed.set(row.does, await observe(attempt));
    }),
  ]);
}, 2 * LONG_MS);

afterAll(async () => {
  for (const one of closing) await one.close();
});

describe('a receiver that', () => {
  it.each(ROWS)('$does leaves $result', ({ does, result, status = null, sample }) => {
    const { record } = of(does);
    expect({ result: record.result, status: record.httpStatus }).toEqual({ result, status });
    if (sample !== undefined)
      expect(record.sample.equals(Buffer.from(sample as string))).toBe(true);
  });

  it.each(TLS_ROWS)('$does leaves $result', ({ does, result }) => {
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
  readonly status?: number | null;
  /** The connection waits for the next request. */
  readonly isKept: boolean;
}

async function observe({
  scheme,
  server,
  result,
  status = null,
  isKept,
}: Attempt): Promise<Observed> {
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
    if (record.httpStatus === status) return { record, bytesWritten: bytesOf(sockets) };
  }
  throw new Error('The receiver was not reached within any deadline.');
}

async function attempt(url: string, attemptTimeoutMs: number): Promise<SendRecord> {
  const extraCa = authority.certificate;
  const sender = webhookSender({ allowPrivate: true, attemptTimeoutMs, extraCa });
  closing.push(sender);
  return sender.send({ url, headers: { 'content-type': 'application/json' }, body: BODY });
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

/** Who does not read does not see the end of a connection either. */
const stillOpen = (sockets: readonly net.Socket[]): number =>
  sockets.filter((socket) => !socket.resume().closed).length;
