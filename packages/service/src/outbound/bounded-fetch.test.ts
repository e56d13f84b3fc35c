import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { closeOpened, serve } from '../../test/loopback.js';
import { boundedFetch } from './bounded-fetch.js';

afterEach(closeOpened);

const KB = 1_024;

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

  it('hangs up on an answer without an end', async () => {
    let hungUp = () => {};
    const closed = new Promise<void>((resolve) => (hungUp = resolve));
    const url = await serve((_, res) => {
      res.once('close', hungUp);
      const write = (): void => void (res.write(Buffer.alloc(64 * KB)) && setImmediate(write));
      res.on('drain', write);
      write();
    });
    await expect(boundedFetch()(url)).rejects.toThrow('256 KB');
    await closed;
  });
});
