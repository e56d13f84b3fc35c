import { describe, expect, it } from '@jest/globals';
import { eventually, hangUpWhileReading } from '@junction/testing';
import { world } from './shared-world.js';
import { refusalOf } from './started-integrations.js';
import type { Person } from './world.js';

/** Lifetime in seconds that no token of the provider has: a token that came with a connect is refreshed first. */
const FORCED = 86_400;
const PATH = '/api/integrations/mailbox';

describe('GET /api/integrations/{provider}/history', () => {
  it('stops reading when its caller hangs up, in the database too', async () => {
    const { service, database, connected } = world();
    const { userId } = await connected();
    const ask = (signal: AbortSignal) => service.call(userId, 'GET', `${PATH}/history`, { signal });
    expect(await hangUpWhileReading(database, 'refreshes', ask)).toBe(0);
  });

  it('stops reading for a live stream whose reader hangs up', async () => {
    const { service, database, connected } = world();
    const { userId } = await connected();
    const follow = async (signal: AbortSignal) =>
      service.call(userId, 'GET', '/api/integrations/stream', { signal });
    expect(await hangUpWhileReading(database, 'refreshes', follow)).toBe(0);
  });

  it('tells the life of a connection, newest first, with who, why and what, page by page', async () => {
    const { service, provider, connected, changeCredentials } = world();
    const person = await connected();
    const { userId, email } = person;
    await provider.control.fail({ endpoint: 'token', calls: 1, status: 503 });
    await refusalOf(service.vend({ userId, minLifetimeS: FORCED }));
    // An answer with status 503 may be a lost one: the next refresh waits for the end of the access token.
    await changeCredentials(userId, 'expires_at = now()');
    await eventually(async () => service.vend({ userId }));
    await provider.control.revokeAccount(email);
    await changeCredentials(userId, 'expires_at = now()');
    await refusalOf(service.vend({ userId }));
    await connected(person);
    await service.call(userId, 'DELETE', PATH);

    await eventually(async () => {
      const { body } = await history(person, '?limit=1');
      expect(body).toMatchObject({ items: [{ type: 'integration.revocation_settled' }] });
    });
    const { status, body } = await history(person);
    expect(status).toBe(200);
    const token = {
      granted_scopes: ['mailbox.readonly', 'mailbox.send', 'mailbox.modify'],
      missing_scopes: [],
      expires_at: expect.stringMatching(/Z$/),
    };
    const item = (type: string, actor: string, more: object) => ({
      type: `integration.${type}`,
      actor,
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      detail: expect.any(String),
      ...more,
    });
    const items = [
      item('revocation_settled', 'system', { reason: 'done' }),
      item('disconnected', 'user', { reason: 'user' }),
      item('connected', 'user', { account: email, credential_version: 3, ...token }),
      item('reconnect_required', 'provider', { reason: 'invalid_grant', credential_version: 2 }),
      item('recovered', 'system', {}),
      item('refreshed', 'system', { credential_version: 2, ...token }),
      item('degraded', 'provider', {
        reason: 'http_503',
        credential_version: 1,
        detail: expect.stringContaining('HTTP 503'),
      }),
      item('connected', 'user', { account: email, credential_version: 1, ...token }),
    ];
    expect(body).toEqual({ items, next_cursor: null });

    const first = (await history(person, '?limit=5')).body;
    expect(first['items']).toEqual(items.slice(0, 5));
    const cursor = encodeURIComponent(String(first['next_cursor']));
    const second = (await history(person, `?limit=5&cursor=${cursor}`)).body;
    expect(second).toEqual({ items: items.slice(5), next_cursor: null });
    const somebodyElse = await history(world().newPerson());
    expect(somebodyElse.body).toEqual({ items: [], next_cursor: null });
  });
});

describe('the stream of integrations', () => {
  it('tells how they are, and whenever that changes, to their user alone', async () => {
    const { service, issuer, connected, newPerson } = world();
    const person = newPerson();
    const { userId } = person;
    const reader = await openStream(service.url, issuer.userToken(userId));
    try {
      await connected();
      await connected(person);
      const first = await reader.next();
      expect(first).toMatchObject({ provider: 'mailbox', status: 'active', account: person.email });
      await service.vend({ userId, minLifetimeS: FORCED });
      expect(await reader.next()).toMatchObject({ last_refreshed_at: expect.any(String) });
      await service.call(userId, 'DELETE', PATH);
      expect(await reader.next()).toMatchObject({ status: 'disconnected', status_reason: 'user' });
    } finally {
      await reader.close();
    }
    const again = await openStream(service.url, issuer.userToken(userId));
    expect(await again.next()).toMatchObject({ provider: 'mailbox', status: 'disconnected' });
    await again.close();
    expect((await service.call(undefined, 'GET', '/api/integrations/stream')).status).toBe(401);
  });
});

const history = ({ userId }: Person, query = '', provider = 'mailbox') =>
  world().service.call(userId, 'GET', `/api/integrations/${provider}/history${query}`);

/** Reads the stream message by message: the data of each `integration`. */
async function openStream(url: string, token: string) {
  const hangUp = new AbortController();
  const response = await fetch(`${url}/api/integrations/stream`, {
    headers: { authorization: `Bearer ${token}` },
    signal: hangUp.signal,
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('ratelimit-policy')).toContain(
    '"streams";q=10;qu="concurrent-requests"',
  );
  const chunks = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async next(): Promise<unknown> {
      for (;;) {
        const found = /event: integration\ndata: (.*)\n\n/.exec(text);
        if (found) {
          text = text.slice(found.index + found[0].length);
          return JSON.parse(found[1] ?? '');
        }
        const { value, done = true } = (await chunks?.read()) ?? {};
        if (done) throw new Error('The stream ended.');
        text += value;
      }
    },
    async close() {
      hangUp.abort();
      await chunks?.cancel().catch(() => undefined);
    },
  };
}
