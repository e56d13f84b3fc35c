import https from 'node:https';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CertificateAuthority, certificateAuthority, listening } from '@junction/testing';
import { type ConnectProxy, startConnectProxy } from '../../../test/connect-proxy.js';
import { type NameServer, startNameServer } from '../../../test/name-server.js';
import { type PromisedSender, promisedSender } from '../../../test/promised-sender.js';
import { egressProxyCheck } from './egress-proxy.js';
import { nameServers } from './guarded-lookup.js';

// Documentation and test addresses are refused, and nothing may leave this machine: the proxy takes
// every address for the receiver's.
const PUBLIC = '93.184.215.14';
const PUBLIC_V6 = '2606:4700::1111';
const NAME = 'hooks.customer.com';

describe('a request through the egress proxy', () => {
  it('asks the proxy for the address that was checked, and the receiver for the name', async () => {
    names.answer([PUBLIC, PUBLIC_V6]);
    const { result } = await sender.send(request);
    expect(result).toBe('succeeded');
    expect(proxy.asked).toEqual([{ target: `${PUBLIC}:443`, authorization: basic }]);
    expect(seen).toEqual([{ host: NAME, servername: NAME, authorization: undefined }]);
  });

  it('asks for an IPv6 address in brackets, and for the port of the url', async () => {
    names.answer([PUBLIC_V6]);
    const { result } = await sender.send({ ...request, url: `https://${NAME}:8443/in` });
    expect(result).toBe('succeeded');
    expect(proxy.asked).toMatchObject([{ target: `[${PUBLIC_V6}]:8443` }]);
  });

  it('asks for the next address when the proxy does not reach the first', async () => {
    names.answer([PUBLIC, PUBLIC_V6]);
    proxy.answer(502, `${PUBLIC}:443`);
    expect(await sender.send(request)).toMatchObject({ result: 'succeeded' });
    expect(proxy.asked.map(({ target }) => target)).toEqual([
      `${PUBLIC}:443`,
      `[${PUBLIC_V6}]:443`,
    ]);
  });

  it('names the receiver without the dot at the end in SNI (RFC 6066, section 3)', async () => {
    names.answer([PUBLIC]);
    const { result } = await sender.send({ ...request, url: `https://${NAME}./in` });
    expect(result).toBe('succeeded');
    expect(seen).toEqual([{ host: `${NAME}.`, servername: NAME, authorization: undefined }]);
  });

  it('takes as long as it takes to connect, and says so', async () => {
    names.answer([PUBLIC]);
    const { connection } = await sender.send(request);
    const ms = expect.any(Number);
    expect(connection).toEqual({ dnsMs: ms, connectMs: ms, tlsMs: ms });
  });

  it.each([403, 407, 502])('may be tried again when the proxy answers %d', async (status) => {
    names.answer([PUBLIC]);
    proxy.answer(status);
    const { outcome } = await sender.send(request);
    expect(outcome).toEqual({ kind: 'failed', reason: 'proxy_failed', retryAfterMs: 0 });
    expect(seen).toEqual([]);
  });

  it('may be tried again when the proxy is away', async () => {
    names.answer([PUBLIC]);
    const { outcome } = await sending('http://127.0.0.1:1').send(request);
    expect(outcome).toEqual({ kind: 'failed', reason: 'proxy_failed', retryAfterMs: 0 });
  });
});

describe('the check of the egress proxy', () => {
  const check = async () => egressProxyCheck(`http://user:pa%20ss@127.0.0.1:${proxy.port}`).look();

  it.each([200, 403, 502])('takes what answers CONNECT with %d for a proxy', async (status) => {
    proxy.answer(status);
    expect(await check()).toBe(`127.0.0.1:${proxy.port} answers CONNECT.`);
    expect(proxy.asked).toMatchObject([{ target: '127.0.0.1:9' }]);
    expect(seen).toEqual([]);
  });

  it('says that the password is another, and that a web server is no proxy', async () => {
    proxy.answer(407);
    expect(await check()).toMatchObject([
      { state: 'problem', found: expect.stringContaining('(407)') },
    ]);
    proxy.answer(404);
    await expect(check()).rejects.toThrow('answers CONNECT with 404: it is no proxy for it.');
  });
});

describe('a name that changes its mind', () => {
  it('is asked for once a connection, and refused as soon as it points inside', async () => {
    names.answer([PUBLIC]);
    expect(await sender.send(request)).toMatchObject({ result: 'succeeded' });
    names.answer(['127.0.0.1']);
    // The connection is there and goes where it was checked to go.
    expect(await sender.send(request)).toMatchObject({ result: 'succeeded' });
    expect({ names: names.asked.length, proxy: proxy.asked.length }).toEqual({
      names: 1,
      proxy: 1,
    });

    answer = { connection: 'close' };
    expect(await sender.send(request)).toMatchObject({ result: 'succeeded' });
    const { outcome } = await sender.send(request);
    expect(outcome).toEqual({ kind: 'refused', reason: 'url_private_address' });
    expect({ names: names.asked.length, proxy: proxy.asked.length }).toEqual({
      names: 2,
      proxy: 1,
    });
  });
});

describe('the answer of a name server', () => {
  it.each(['SERVFAIL', 'silence'] as const)(
    'may be another the next time when it is %s',
    async (failure) => {
      names.answer(failure);
      const { outcome } = await sender.send(request);
      expect(outcome).toEqual({ kind: 'failed', reason: 'dns_failed', retryAfterMs: 0 });
    },
  );

  it('is checked without a proxy too, before anything is dialled', async () => {
    names.answer([PUBLIC, '127.0.0.1']);
    const { outcome } = await sending(undefined).send({
      ...request,
      url: `https://${NAME}:${receiverPort}/in`,
    });
    expect(outcome).toEqual({ kind: 'refused', reason: 'url_private_address' });
    expect(connections).toBe(0);
  });
});

describe('the proxy variables of the process', () => {
  const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy'];

  it('neither send a request through a proxy nor around the guard', async () => {
    for (const variable of variables) process.env[variable] = `http://127.0.0.1:${proxy.port}`;
    process.env['NODE_USE_ENV_PROXY'] = '1';
    try {
      names.answer(['127.0.0.1']);
      const url = `https://${NAME}:${receiverPort}/in`;
      const { outcome } = await sending(undefined).send({ ...request, url });
      expect(outcome).toEqual({ kind: 'refused', reason: 'url_private_address' });
      const open = promisedSender({ allowPrivateTargets: true, extraCa: authority.certificate });
      closing.push(open);
      const local = `https://127.0.0.1:${receiverPort}/in`;
      const record = await open.send({ ...request, url: local });
      expect(record).toMatchObject({ result: 'tls_name_mismatch' });
      expect(connections).toBe(1);
    } finally {
      for (const variable of [...variables, 'NODE_USE_ENV_PROXY']) delete process.env[variable];
    }
    expect(proxy.asked).toEqual([]);
  });
});

const request = {
  url: `https://${NAME}/in`,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{}'),
  startedAt: new Date(),
};
const basic = `Basic ${Buffer.from('junction:wörd').toString('base64')}`;

const closing: { close(): unknown }[] = [];
const seen: object[] = [];
let connections = 0;
let answer: Record<string, string> = {};
let authority: CertificateAuthority;
let names: NameServer;
let proxy: ConnectProxy;
let receiverPort: number;
let sender: PromisedSender;

beforeAll(async () => {
  authority = await certificateAuthority();
  names = await startNameServer();
  closing.push(authority, names);
  const receiver = https.createServer(await authority.issue({ name: NAME }), (req, res) => {
    const { host = '', 'proxy-authorization': authorization } = req.headers;
    const { servername } = req.socket as TLSSocket;
    seen.push({ host: host.replace(/:\d+$/, ''), servername, authorization });
    req.resume().once('end', () => res.writeHead(200, answer).end());
  });
  receiver.on('connection', () => (connections += 1));
  const { port, close } = await listening(receiver);
  receiverPort = port;
  closing.push({ close });
});

beforeEach(async () => {
  proxy = await startConnectProxy(receiverPort);
  closing.push(proxy);
  sender = sending(`http://junction:w%C3%B6rd@127.0.0.1:${proxy.port}`);
  seen.length = 0;
  (names.asked as string[]).length = 0;
  connections = 0;
  answer = {};
});

afterAll(async () => {
  for (const one of closing.toReversed()) await one.close();
});

function sending(through: string | undefined): PromisedSender {
  const resolve = nameServers([names.address]);
  const extraCa = authority.certificate;
  const made = promisedSender({ allowPrivateTargets: false, resolve, extraCa, proxy: through });
  closing.push(made);
  return made;
}
