import net from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CertificateAuthority,
  type CertificateRequest,
  certificateAuthority,
} from '@junction/testing';
import { LONG_MS, type Observed, useObservedAttempts } from '../../../test/observed-attempts.js';
import { answering, dripping, ending, OK, type RawReceiver } from '../../../test/raw-receivers.js';

/** An alert of TLS: fatal, certificate_required (RFC 8446, section 6). */
const CERTIFICATE_REQUIRED = Buffer.from('15030300020274', 'hex');

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
// biome-ignore format: a table is read by columns
const TLS_ROWS: readonly (readonly [does: string, start: Start, result: string])[] = [
  ['never answers the handshake', plain((socket) => void socket.resume()), 'timeout'],
  ['answers the handshake byte by byte', plain(dripping('\x16\x03\x03\x40\x00', '\x02\x00')), 'timeout'],
  ['closes during the handshake', plain(ending()), 'connection_lost'],
  ['speaks HTTP where TLS belongs', plain(answering('HTTP/1.1 400 Bad Request\r\n\r\n')), 'tls_not_spoken'],
  ['has an expired certificate', presenting(EXPIRED), 'tls_certificate_expired'],
  ['has a certificate of the future', presenting(TOMORROW), 'tls_certificate_not_yet_valid'],
  ['has a certificate of another name', presenting({ name: 'other.customer.com' }), 'tls_name_mismatch'],
  ['has signed its certificate itself', presenting({ selfSigned: true }), 'tls_self_signed'],
  [
    'has a certificate of an unknown authority',
    async () => tls.createServer(await stranger.issue(), answering(`${OK}\r\n`)),
    'tls_unknown_issuer',
  ],
  ['leaves out the intermediate authority of its certificate', presenting({ issuer: 'absent' }), 'tls_unknown_issuer'],
  ['has a certificate of an issuer that is no authority', presenting({ issuer: 'powerless' }), 'tls_failed'],
  ['has a certificate for clients only', presenting({ clientOnly: true }), 'tls_failed'],
  ['knows only TLS 1.1', withoutLater, 'tls_protocol_too_old'],
  ['asks for a certificate of ours, and says so', plain(ending(CERTIFICATE_REQUIRED)), 'tls_client_certificate_wanted'],
  ['asks for a certificate of ours, and hangs up', askingForOurs, 'tls_client_certificate_wanted'],
];

const observe = useObservedAttempts();
const observed = new Map<string, Observed>();
let authority: CertificateAuthority;
let stranger: CertificateAuthority;

// Receivers run all at once: some attempts last until their deadline.
beforeAll(async () => {
  [authority, stranger] = [await certificateAuthority(), await certificateAuthority()];
  const extraCa = authority.certificate;
  await Promise.all(
    TLS_ROWS.map(async ([does, start, result]) => {
      observed.set(does, await observe({ server: await start(), result, extraCa }));
    }),
  );
}, 2 * LONG_MS);
afterAll(async () => {
  for (const one of [authority, stranger]) await one?.close();
});

describe('a receiver over TLS that', () => {
  it.each(TLS_ROWS)('%s', (does, _, result) => {
    const { result: seen, httpStatus, outcome } = (observed.get(does) as Observed).record;
    expect({ seen, httpStatus }).toEqual({ seen: result, httpStatus: null });
    expect(outcome).toEqual({ kind: 'failed', reason: result, retryAfterMs: 0 });
  });
});
