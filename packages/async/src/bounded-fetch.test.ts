import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { boundedFetch, fetchJson } from './bounded-fetch.js';

const KB = 1_024;
const MB = 1_024 * KB;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

describe('a bounded fetch', () => {
  it.each([200, 204, 404])('brings an answer with %i as it came', async (status) => {
    const url = await serve((_, res) => {
      res.writeHead(status, { 'x-name': 'value' }).end(status === 204 ? undefined : '{"a":1}');
    });
    const answer = await boundedFetch()(url);
    expect([answer.status, answer.headers.get('x-name')]).toEqual([status, 'value']);
    expect(await answer.text()).toBe(status === 204 ? '' : '{"a":1}');
  });

  it('counts what an answer holds when it is decoded', async () => {
    const url = await serve((req, res) => {
      const text = Buffer.alloc(req.url === '/long' ? 300 * KB : 256 * KB, 'a');
      res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text));
    });
    expect(await (await boundedFetch()(url)).text()).toHaveLength(256 * KB);
    await expect(boundedFetch()(`${url}/long`)).rejects.toThrow('256 KB');
  });

  it.each<[string, RequestListener]>([
    ['400 MB that come as 400 KB of gzip', bomb()],
    ['400 MB', plain(400 * MB)],
    ['an answer without an end', plain(Infinity)],
  ])('reads 256 KB of %s, and hangs up', async (_, listener) => {
    const { url, sent, closed } = await counting(listener);
    const { fetch: counted, decoded } = countingDecoded();
    await expect(boundedFetch(counted)(url)).rejects.toThrow('256 KB');
    await closed;
    expect(decoded()).toBeLessThan(384 * KB);
    expect(sent()).toBeLessThan(16 * MB);
  });

  it('gives up an answer that comes a byte at a time, and hangs up', async () => {
    const deadline = new AbortController();
    let dripped = 0;
    const { url, closed } = await counting((_, res) => {
      const drip = (): void => {
        dripped += 1;
        res.write(' ');
        if (dripped === 10) deadline.abort(new DOMException('late', 'TimeoutError'));
        if (!res.destroyed) setImmediate(drip);
      };
      drip();
    });
    await expect(boundedFetch()(url, { signal: deadline.signal })).rejects.toThrow('late');
    await closed;
  });

  it('has a deadline also where none is given', async () => {
    let given: AbortSignal | null | undefined;
    const answer = boundedFetch(async (_, init) => {
      given = init?.signal;
      return new Response('');
    });
    await answer('https://issuer.example');
    expect(given).toBeInstanceOf(AbortSignal);
  });

  it('follows no redirect', async () => {
    const asked: string[] = [];
    const url = await serve((req, res) => {
      asked.push(req.url ?? '');
      res.writeHead(302, { location: '/elsewhere' }).end();
    });
    const { status } = await boundedFetch()(`${url}/keys`, { redirect: 'follow' });
    expect([status, asked]).toEqual([302, ['/keys']]);
  });
});

it.each([
  ['{"keys":[]}', { keys: [] }],
  ['<html>', undefined],
  ['', undefined],
])('the JSON of an answer with %j is %j', async (text, json) => {
  const url = await serve((_, res) => void res.end(text));
  expect(await fetchJson(url)).toMatchObject({ ok: true, status: 200, body: json });
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts a server that counts the bytes that its socket took, and tells when the connection closed. */
async function counting(listener: RequestListener) {
  let sent = 0;
  let tell = () => {};
  const closed = new Promise<void>((resolve) => (tell = resolve));
  const url = await serve((req, res) => {
    res.once('close', () => {
      sent = req.socket.bytesWritten;
      tell();
    });
    listener(req, res);
  });
  return { url, closed, sent: () => sent };
}

/** Returns a fetch, and the bytes that were read of its answers after they were decoded. */
function countingDecoded() {
  let bytes = 0;
  const counted: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        bytes += chunk.length;
        out.enqueue(chunk);
      },
    });
    return new Response(response.body?.pipeThrough(count), response);
  };
  return { fetch: counted, decoded: () => bytes };
}

function bomb(): RequestListener {
  const part = gzipSync(Buffer.alloc(40 * MB, ' '));
  const parts = Buffer.concat(Array.from({ length: 10 }, () => part));
  return (_, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end(parts);
}

function plain(bytes: number): RequestListener {
  return (_, res) => {
    let left = bytes;
    const write = (): void => {
      if (left <= 0) return void res.end();
      left -= 64 * KB;
      if (res.write(Buffer.alloc(64 * KB, ' '))) setImmediate(write);
    };
    res.on('drain', write);
    write();
  };
}
