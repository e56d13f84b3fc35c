import type { LookupAddress } from 'node:dns';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { errors } from 'undici';
import { farListener } from '../../test/far-listener.js';
import { closeLater, closeOpened } from '../../test/loopback.js';
import { connector, opener, type Resolve } from './connector.js';

afterEach(closeOpened);

const PROVIDER = { hostname: 'provider.example', protocol: 'http:' };
const HOST = '127.0.0.1';
const OTHER_HOST = '127.0.0.2';
/** Address at which nothing listens: an attempt fails at once, as it does when IPv6 has no route. */
const NOBODY: LookupAddress = { address: '::1', family: 6 };
const at = (address: string): LookupAddress => ({ address, family: 4 });
/** Milliseconds that are longer than Node waits for an address before it closes the attempt for the next one. */
const FAR_MS = 400;

describe('a host of several addresses', () => {
  it('is reached at a far one, though another fails meanwhile', async () => {
    const { port, answer } = await farListener(HOST);
    const connecting = connected([at(HOST), NOBODY], port);
    await sleep(FAR_MS);
    answer();
    expect(await connecting).toMatchObject({ remoteAddress: HOST });
  });

  it('is reached at a far one, though the ones before it never answer', async () => {
    const silent = await farListener(OTHER_HOST);
    const far = await farListener(HOST, silent.port);
    const connecting = connected([at(OTHER_HOST), at(HOST), NOBODY, at(OTHER_HOST)], far.port);
    await sleep(2 * FAR_MS);
    far.answer();
    expect(await connecting).toMatchObject({ remoteAddress: HOST });
  });

  it('is reached by a process that stood still meanwhile, even past the deadline', async () => {
    const port = await listening();
    const connecting = connected([at(HOST), NOBODY], port, { timeoutMs: FAR_MS });
    // The lookup comes first; then the connection is there before the process looks.
    await sleep(0);
    const untilMs = performance.now() + 2 * FAR_MS;
    while (performance.now() < untilMs);
    expect(await connecting).toMatchObject({ remoteAddress: HOST });
  });

  it('is given up at the deadline, with nothing left open', async () => {
    const { port, answer } = await farListener(HOST);
    const connecting = connected([at(HOST), NOBODY], port, { timeoutMs: FAR_MS });
    await expect(connecting).rejects.toMatchObject({
      errors: [expect.any(errors.ConnectTimeoutError), expect.anything()],
    });
    answer();
    expect(process.getActiveResourcesInfo()).not.toContain('TCPConnectWrap');
  });
});

it('a name server that never answers is given up at the deadline too', async () => {
  const connecting = opening(() => new Promise(() => {}), 80, { timeoutMs: FAR_MS });
  await expect(connecting).rejects.toBeInstanceOf(errors.ConnectTimeoutError);
});

it('the times of a connection are those of its steps, before it is used', async () => {
  const port = await listening();
  const open = opener({ resolve: async () => [at(HOST)], timeoutMs: 5_000 });
  const { socket, times } = await open({ ...PROVIDER, port: String(port) });
  closeLater(async () => socket.destroy());
  const time = expect.any(Number);
  expect(times).toEqual({ dnsMs: time, connectMs: time, tlsMs: null });
});

type Options = Partial<Parameters<typeof connector>[0]>;

const connected = async (addresses: LookupAddress[], port: number, options: Options = {}) =>
  opening(async () => addresses, port, options);

const opening = (lookup: Resolve, port: number, options: Options): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const connect = connector({ resolve: lookup, timeoutMs: 5_000, ...options });
    connect({ ...PROVIDER, port: String(port) }, (error, socket) => {
      if (error) reject(error);
      else {
        closeLater(async () => socket.destroy());
        resolve(socket);
      }
    });
  });

async function listening(): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => {
    server.listen(0, HOST, resolve);
  });
  closeLater(async () => server.close());
  return (server.address() as AddressInfo).port;
}
