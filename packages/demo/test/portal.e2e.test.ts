import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiAt, type Call } from '@junction/testing';
import { type SharedProduct, sharedProduct } from '../src/index.js';
import { type Person, signUp } from '../src/person.js';

const MINUTE = 60_000;
const ORIGIN = 'https://app.example.com';
/** Paths that a portal may call. All other paths are closed to a portal, also those that are added later. */
const OPEN = /^\/api\/(?:webhooks|events|deliveries)(?:\/|$)/;
const SAMPLE_ID = 'x';

type Operations = Readonly<Record<string, { readonly security: readonly object[] }>>;

let product: SharedProduct;
let api: Call;
let ada: Person;
let portal: Call;

beforeAll(async () => {
  product = await sharedProduct(process.env);
  api = apiAt(product.endpoints.gateway);
  ada = await signUp(api);
  portal = await portalOf(ada);
}, 4 * MINUTE);

afterAll(async () => {
  expect(await product?.stop()).toBe(0);
}, MINUTE);

describe('the token of a portal', () => {
  it('reaches the webhooks of its user, from the first to the last step', async () => {
    const json = {
      url: 'https://hooks.example.org/portal',
      events: ['draft.created'],
      enabled: true,
    };
    const made = await portal('POST', '/api/webhooks', { json });
    expect(made.status).toBe(201);
    const { webhook_id: id } = made.body as { webhook_id: string };
    const at = `/api/webhooks/${id}`;
    expect((await portal('PATCH', at, { json: { paused: true } })).status).toBe(200);
    expect((await portal('POST', `${at}/rotate-secret`, { json: {} })).status).toBe(200);
    for (const path of [`${at}/deliveries`, '/api/deliveries', '/api/events', `${at}/stats`]) {
      expect([path, (await portal('GET', path)).status]).toEqual([path, 200]);
    }
    expect((await ada.call('GET', at)).status).toBe(200);
    expect((await portal('DELETE', at)).status).toBe(204);
  });

  it('does not reach those of others', async () => {
    const eve = await signUp(api);
    const json = { url: 'https://hooks.example.org/eve', events: ['draft.created'], enabled: true };
    const made = await eve.call('POST', '/api/webhooks', { json });
    const at = `/api/webhooks/${(made.body as { webhook_id: string }).webhook_id}`;
    expect(made.status).toBe(201);
    expect((await portal('GET', at)).status).toBe(404);
    expect((await portal('DELETE', at)).status).toBe(404);
    expect((await portal('GET', '/api/webhooks')).body).toMatchObject({ items: [] });
    expect((await eve.call('GET', at)).status).toBe(200);
  });

  it('opens no other operation of the whole API', async () => {
    const answer = await fetch(`${product.endpoints.gateway}/openapi.json`);
    const { paths } = (await answer.json()) as { paths: Readonly<Record<string, Operations>> };
    const closed = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, { security }]) => security.some((scheme) => 'bearer' in scheme))
        .filter(() => !OPEN.test(path))
        .map(([method]) => ({ method: method.toUpperCase(), path })),
    );
    expect(closed.length).toBeGreaterThan(40);
    for (const { method, path } of closed) {
      const { status, body } = await portal(method, path.replace(/\{\w+\}/g, SAMPLE_ID), {
        ...(method !== 'GET' && { json: {} }),
      });
      expect({ method, path, status, body }).toMatchObject({
        method,
        path,
        status: 403,
        body: { code: isForSessions(method, path) ? 'session_required' : 'insufficient_scope' },
      });
    }
    expect((await ada.call('GET', '/api/auth/me')).status).toBe(200);
  });
});

/** No scope opens changes of an account. */
const isForSessions = (method: string, path: string): boolean =>
  method !== 'GET' && path.startsWith('/api/auth/');

/** Opens a portal as a product does that frames the webhook pages: link, exchange, token. */
async function portalOf({ id }: Person): Promise<Call> {
  const { client_id, client_secret } = product.endpoints.operator;
  const granted = await fetch(`${product.endpoints.gateway}/oauth/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
    },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      audience: 'auth',
      scope: 'portals:open',
    }),
  });
  const { access_token: service } = (await granted.json()) as { access_token: string };
  const json = { user_id: id, origin: ORIGIN };
  const link = await api('POST', '/api/portal-links', { token: service, json });
  const { url } = link.body as { url: string };
  const opened = await api('POST', '/api/portal-links/exchange', {
    json: { token: new URL(url).hash.slice(1) },
  });
  const { access_token: token } = opened.body as { access_token: string };
  return async (method, path, options) => api(method, path, { token, ...options });
}
