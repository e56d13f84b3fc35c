import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { closeLater, closeOpened, serve } from '../../test/loopback.js';
import { tunnellingProxy } from '../../test/tunnelling-proxy.js';
import { outboundCalls, type ProxySettings } from './outbound-calls.js';

afterEach(closeOpened);

const HOST = 'login.provider.example';

describe('a call to an identity provider', () => {
  it('is what fetch would send', async () => {
    const url = await answeringWhatItGot();
    const response = await calling({})(`${url}/token?x=1`, {
      method: 'POST',
      headers: new Headers({ authorization: 'Basic bWU6' }),
      body: new URLSearchParams({ grant_type: 'refresh_token' }),
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    });
    expect({ ok: response.ok, type: response.headers.get('content-type') }).toEqual({
      ok: true,
      type: 'application/json',
    });
    expect(await response.json()).toMatchObject({
      method: 'POST',
      url: '/token?x=1',
      type: 'application/x-www-form-urlencoded;charset=UTF-8',
      authorization: 'Basic bWU6',
      body: 'grant_type=refresh_token',
    });
  });

  it('tells who has answered, and nothing of whom nobody heard', async () => {
    const answered: string[] = [];
    const calls = outboundCalls({}, (server) => void answered.push(server));
    closeLater(() => calls.close());
    const url = await answeringWhatItGot();
    await calls.fetch(`${url}/keys`);
    await expect(calls.fetch('http://127.0.0.1:1/keys')).rejects.toThrow('fetch failed');
    expect(answered).toEqual([new URL(url).host]);
  });

  it('reads an answer with a long head, directly and through a proxy', async () => {
    const cookies = Array.from({ length: 90 }, () => `a=${'x'.repeat(500)}`);
    const url = await serve((_, res) => res.setHeader('set-cookie', cookies).end('long'));
    const proxy = await tunnellingProxy(url);
    for (const [settings, host] of [
      [{}, url],
      [{ httpProxy: proxy.url }, `http://${HOST}`],
    ] as const) {
      expect(await (await calling(settings)(host)).text()).toBe('long');
    }
  });

  it('asks the proxy for a tunnel to the name, with its credentials', async () => {
    const proxy = await tunnellingProxy(await answeringWhatItGot());
    const withPassword = proxy.url.replace('//', '//junction:w%C3%B6rd@');
    const send = calling({ httpProxy: withPassword });
    expect(await (await send(`http://${HOST}:8080/keys`)).json()).toMatchObject({ url: '/keys' });
    const authorization = `Basic ${Buffer.from('junction:wörd').toString('base64')}`;
    expect(proxy.asked).toEqual([{ target: `${HOST}:8080`, authorization }]);
  });

  it('goes through the proxy of its scheme, which is that of http:// where none is named', async () => {
    const secure = await tunnellingProxy('http://127.0.0.1:1');
    const plain = await tunnellingProxy('http://127.0.0.1:1');
    const both = { httpProxy: plain.url, httpsProxy: secure.url };
    await expect(calling(both)(`https://${HOST}`)).rejects.toThrow('fetch failed');
    expect({ secure: secure.asked.length, plain: plain.asked.length }).toEqual({
      secure: 1,
      plain: 0,
    });
    await expect(calling({ httpProxy: plain.url })(`https://${HOST}`)).rejects.toThrow(
      'fetch failed',
    );
    expect(plain.asked).toMatchObject([{ target: `${HOST}:443` }]);
  });

  it('says that the proxy refused', async () => {
    const proxy = await tunnellingProxy('http://127.0.0.1:1', 403);
    await expect(calling({ httpsProxy: proxy.url })(`https://${HOST}`)).rejects.toMatchObject({
      cause: { cause: { message: expect.stringMatching(/^Proxy response \(403\) !== 200/) } },
    });
  });

  it.each([
    ['this machine', {}, 'localhost'],
    ['a host of NO_PROXY', { noProxy: 'localhost.example,127.0.0.1' }, '127.0.0.1'],
    ['any host where NO_PROXY is *', { noProxy: '*' }, '127.0.0.1'],
  ])('goes directly to %s', async (_, settings, host) => {
    const url = await answeringWhatItGot();
    const proxy = await tunnellingProxy(url);
    const send = calling({ httpProxy: proxy.url, ...settings });
    const response = await send(url.replace('127.0.0.1', host));
    expect({ ok: response.ok, asked: proxy.asked }).toEqual({ ok: true, asked: [] });
  });

  it('does not look at the variables of the process itself', async () => {
    const url = await answeringWhatItGot();
    const proxy = await tunnellingProxy(url);
    process.env['http_proxy'] = proxy.url;
    try {
      await calling({ noProxy: '*' })(url);
      await expect(calling({})('http://127.0.0.2:1')).rejects.toThrow('fetch failed');
    } finally {
      delete process.env['http_proxy'];
    }
    expect(proxy.asked).toEqual([]);
  });
});

function calling(settings: ProxySettings): typeof fetch {
  const { fetch, close } = outboundCalls(settings);
  closeLater(close);
  return fetch;
}

const answeringWhatItGot = async (): Promise<string> =>
  serve((req, res) => {
    void text(req).then((body) => {
      const { method, url, headers } = req;
      const { authorization, 'content-type': type } = headers;
      res.setHeader('content-type', 'application/json');
      res.end(JSON.stringify({ method, url, type, authorization, body }));
    });
  });
