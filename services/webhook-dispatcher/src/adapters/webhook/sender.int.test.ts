import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { listening, type Receiver, startReceiver } from '@junction/testing';
import { type PromisedSender, promisedSender } from '../../../test/promised-sender.js';
import type { SenderOptions } from './sender.js';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

describe('a request', () => {
  it('arrives as it was signed, over one connection that is kept', async () => {
    const receiver = await receiving();
    const sender = sending();
    const ports = new Set<unknown>();
    for (let n = 0; n < 3; n++) {
      const record = await sender.send(requestTo(receiver));
      expect(record).toMatchObject({ result: 'succeeded', httpStatus: 200 });
      ports.add(receiver.requests.at(-1)?.headers['connection']);
    }
    expect(receiver.requests).toHaveLength(3);
    expect(receiver.requests[0]?.body.toString()).toBe('{"a":1}');
    expect(receiver.requests[0]?.headers['x-service-signature']).toBe('sha256=00');
    expect(ports).toEqual(new Set(['keep-alive']));
  });

  it.each(['/', '/in?', '/in?a=%7B', '/%2E%2Ex//y?'])(
    'asks for %s as it is written',
    async (path) => {
      const receiver = await receiving();
      await sending().send({ ...request, url: `${receiver.url}${path}` });
      expect(receiver.requests[0]?.path).toBe(path);
    },
  );

  it('tells how long its connection took, once, and what headers came back', async () => {
    const receiver = await receiving({ tls: true });
    receiver.answer({ headers: { 'x-answered-by': 'the receiver' } });
    const sender = sending({ extraCa: receiver.ca });
    const first = await sender.send(requestTo(receiver));
    expect(first.connection.connectMs).toBeGreaterThan(0);
    expect(first.connection.tlsMs).toBeGreaterThan(0);
    expect(first.headers.toString()).toContain('x-answered-by: the receiver');
    const { connection } = await sender.send(requestTo(receiver));
    expect(connection).toEqual({ dnsMs: null, connectMs: null, tlsMs: null });
  });

  it('trusts a receiver of the given authority, and of no other', async () => {
    const receiver = await receiving({ tls: true });
    const trusting = sending({ extraCa: receiver.ca });
    expect(await trusting.send(requestTo(receiver))).toMatchObject({ result: 'succeeded' });
    const record = await sending().send(requestTo(receiver));
    expect(record).toMatchObject({ result: 'tls_unknown_issuer', httpStatus: null });
    expect(record.outcome).toMatchObject({ kind: 'failed' });
  });

  it('is not sent on to where a redirect points', async () => {
    const [receiver, elsewhere] = [await receiving(), await receiving()];
    receiver.answer({ status: 307, headers: { location: elsewhere.url } });
    expect(await sending().send(requestTo(receiver))).toMatchObject({ result: 'http_307' });
    expect(elsewhere.requests).toHaveLength(0);
  });
});

describe('an attempt', () => {
  it.each([
    [201, 'succeeded'],
    [204, 'succeeded'],
    [304, 'failed'],
    [404, 'failed'],
    [410, 'gone'],
    [500, 'failed'],
  ])('ends with %d as %s', async (status, kind) => {
    const receiver = await receiving();
    receiver.answer({ status });
    const { outcome, httpStatus } = await sending().send(requestTo(receiver));
    expect({ kind: outcome.kind, httpStatus }).toEqual({ kind, httpStatus: status });
  });

  it.each([
    [429, 7_000],
    [503, 7_000],
    [500, 0],
  ])('ends with Retry-After of a %d as %d ms', async (status, retryAfterMs) => {
    const receiver = await receiving();
    receiver.answer({ status, headers: { 'retry-after': '7' } });
    const { outcome } = await sending().send(requestTo(receiver));
    expect(outcome).toEqual({ kind: 'failed', reason: `http_${status}`, retryAfterMs });
  });

  it.each([
    [410, { kind: 'gone' }],
    [503, { kind: 'failed', reason: 'http_503', retryAfterMs: 7_000 }],
    [200, { kind: 'succeeded' }],
  ])('ends with %d as usual, though the body breaks off', async (status, outcome) => {
    const url = await serving((_req, res) => {
      res.writeHead(status, { 'content-length': '100', 'retry-after': '7' });
      res.write('going', () => res.destroy());
    });
    const record = await sending().send({ ...request, url });
    expect(record).toMatchObject({ outcome, httpStatus: status });
    expect(record.sample.toString()).toBe('going');
  });

  it('ends as refused when the connection is not taken', async () => {
    const url = await serving(() => {});
    await open.pop()?.close();
    expect(await sending().send({ ...request, url })).toMatchObject({
      result: 'connection_refused',
    });
  });
});

describe('a response', () => {
  it('is kept to 16 KiB, and the connection is used again', async () => {
    const receiver = await receiving();
    receiver.answer({ body: 'x'.repeat(100_000) });
    const sender = sending();
    const { sample, result } = await sender.send(requestTo(receiver));
    expect({ result, bytes: sample.length }).toEqual({ result: 'succeeded', bytes: 16_384 });
    expect(await sender.send(requestTo(receiver))).toMatchObject({ result: 'succeeded' });
  });
});

describe('the egress guard', () => {
  it.each([
    ['http://hooks.customer.com/in', 'url_not_https'],
    ['https://127.0.0.1/in', 'url_private_address'],
    ['https://localhost/in', 'url_private_host'],
    ['https://user:word@hooks.customer.com/in', 'url_has_credentials'],
  ])('refuses %s, though it was configured under looser rules', async (url, reason) => {
    const { outcome } = await sending({ allowPrivateTargets: false }).send({ ...request, url });
    expect(outcome).toEqual({ kind: 'refused', reason });
  });
});

const request = {
  url: 'http://127.0.0.1:9/in',
  headers: { 'content-type': 'application/json', 'X-Service-Signature': 'sha256=00' },
  body: Buffer.from('{"a":1}'),
  startedAt: new Date(),
};

const requestTo = (receiver: Receiver) => ({ ...request, url: `${receiver.url}/in?x=1` });

function sending(options: Partial<SenderOptions> = {}): PromisedSender {
  const sender = promisedSender({ allowPrivateTargets: true, ...options });
  open.push(sender);
  return sender;
}

async function receiving(options: { tls?: boolean } = {}): Promise<Receiver> {
  const receiver = await startReceiver(options);
  open.push(receiver);
  return receiver;
}

async function serving(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = await listening(createServer(listener));
  open.push(server);
  return `${server.url}/in`;
}
