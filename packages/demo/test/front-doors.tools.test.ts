import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generatedFiles } from '@junction/local-stack';
import { type Nginx, startNginx } from '@junction/testing';
import { apiAt, type SharedProduct, sharedProduct } from '../src/index.js';
import { type Person, signUp } from '../src/person.js';

const MINUTE = 60_000;
const SITE = path.resolve(import.meta.dirname, '../../dashboard/dist/site');

let product: SharedProduct;
let nginx: Nginx;
let ada: Person;

beforeAll(async () => {
  product = await sharedProduct(process.env);
  const { auth, integrations, webhooks } = product.endpoints.http;
  const upstreams = { auth: [auth], integrations: [integrations], webhooks: [webhooks] };
  const hosts = Object.entries(upstreams).map(([name, urls]) => [name, urls.map(hostOf)]);
  nginx = await startNginx({ upstreams: Object.fromEntries(hosts), siteDir: SITE });
  ada = await signUp(apiAt(nginx.url));
}, 4 * MINUTE);

afterAll(async () => {
  await nginx?.stop();
  expect(await product?.stop()).toBe(0);
}, MINUTE);

describe('the committed nginx.conf', () => {
  it('is accepted by nginx', () => {
    const config = [...generatedFiles().keys()].find((file) => file.endsWith('nginx.conf')) ?? '';
    const { status, stderr } = spawnSync('nginx', ['-t', '-c', config], {
      stdio: ['ignore', 'ignore', 'pipe'], // it opens /dev/stdout, and cannot open a socket
      encoding: 'utf8',
    });
    expect({ status, stderr }).toMatchObject({ status: 0 });
  });
});

const browser = { accept: 'text/html,*/*;q=0.8' };
const json = { 'content-type': 'application/json' };
const LARGE = JSON.stringify({ email: 'x'.repeat(300_000) });

/** What is asked of both doors: method, target, headers, body. */
const REQUESTS: readonly Asked[] = [
  ['GET', '/.well-known/jwks.json'],
  ['GET', '/api/webhooks'],
  ['GET', '/api/integrations', { authorization: 'Bearer ada' }],
  ['GET', '/api/integrations/fax/authorize', { authorization: 'Bearer ada' }],
  ['GET', '/api/webhooks/wh_0/deliveries?limit=2', { authorization: 'Bearer ada' }],
  ['GET', '/api/webhooks/../auth/%2e%2e/auth/me', { authorization: 'Bearer ada' }],
  ['GET', '/api/auth/me', { authorization: 'Bearer ada', 'x-user-id': 'somebody' }],
  ['PUT', '/api/auth/me', { authorization: 'Bearer ada' }],
  ['POST', '/api/auth/login', json, '{"email":"nobody@example.com","password":"wrong horse"}'],
  ['POST', '/api/auth/login', json, '{'],
  ['POST', '/api/auth/login', { 'content-type': 'text/plain' }, 'x'],
  ['POST', '/api/auth/login', { ...json, 'content-encoding': 'gzip' }, 'x'],
  ['POST', '/api/auth/login', json, LARGE],
  ['POST', '/api/auth/session', { ...json, cookie: 'a=b' }, '{}'],
  ['GET', '/api/auth/nothing'],
  ['GET', '/api/nothing', browser],
  ['GET', '/api', browser],
  ['GET', '/internal/metrics'],
  ['GET', '/internal/metrics', browser],
  ['GET', '/api/auth/../../internal/health/ready'],
  ['GET', '//api/auth/me'],
  ['GET', '/api/auth/%2e%2e%2f%2e%2e%2finternal/metrics'],
  ['GET', '/api/auth\\..\\internal'],
  ['GET', '/api/auth/%zz'],
  ['POST', '/', browser, 'x'],
  ['POST', '/nothing', {}, 'x'],
  ['GET', '/nothing'],
  ['GET', '/', browser],
  ['HEAD', '/', browser],
  ['GET', '/index.html'],
  ['GET', '/webhooks/wh_1', browser],
  ['GET', '/favicon.svg'],
  ['GET', '/assets/nothing.js', browser],
];

describe('both front doors', () => {
  it.each(REQUESTS)('answer %s %s alike', async (...asked) => {
    const [dev, shipped] = await Promise.all([
      ask(product.endpoints.gateway, asked),
      ask(nginx.url, asked),
    ]);
    expect(shipped).toEqual(dev);
  });
});

type Asked = readonly [
  method: string,
  target: string,
  headers?: Readonly<Record<string, string>>,
  body?: string,
];

/** Of one connection, one moment or one program; or how a file is packed and compared. */
const OWN = new Set(
  (
    'connection keep-alive date server transfer-encoding content-length ' +
    'x-request-id ratelimit etag last-modified accept-ranges vary'
  ).split(' '),
);

/** Not fetch, which would tidy the path up. */
async function ask(door: string, [method, target, headers = {}, body]: Asked) {
  const authorization = headers['authorization'] && { authorization: `Bearer ${ada.token}` };
  const sent = request(door, {
    method,
    path: target,
    headers: {
      ...headers,
      ...authorization,
      ...(body && { 'content-length': Buffer.byteLength(body) }),
    },
    agent: false,
  });
  sent.on('error', () => undefined); // it may be answered before its body is read
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return {
    status: response.statusCode,
    headers: Object.fromEntries(
      Object.entries(response.headers)
        .filter(([name]) => !OWN.has(name))
        .map(([name, value]) => [name, String(value).toLowerCase()]),
    ),
    body: text.replace(/"request_id":"[\da-f-]{36}"/, '"request_id":"…"'),
  };
}

const hostOf = (url: string): string => new URL(url).host;
