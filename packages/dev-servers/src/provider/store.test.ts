import { describe, expect, it } from '@jest/globals';
import { createStore, type Store } from './store.js';

const HOUR_S = 3600;

describe('the store', () => {
  it('ends a grant together with every token that came from it, and nothing else', async () => {
    const store = createStore();
    await grant(store, 'mail', 'anna@example.org', 'mailbox');
    await grant(store, 'events', 'anna@example.org', 'calendar');

    store.revokeGrant('mail');

    expect(store.grantsOf('anna@example.org')).toEqual(['events']);
    expect(await store.adapter('AccessToken').find('access-mail')).toBeUndefined();
    expect(await store.adapter('RefreshToken').find('refresh-mail')).toBeUndefined();
    expect(await store.adapter('RefreshToken').find('refresh-events')).toBeDefined();
  });

  it('finds the grants of an account, and those to one client', async () => {
    const store = createStore();
    await grant(store, 'mail', 'anna@example.org', 'mailbox');
    await grant(store, 'events', 'anna@example.org', 'calendar');
    await grant(store, 'other', 'ben@example.org', 'mailbox');

    expect(store.grantsOf('anna@example.org')).toEqual(['mail', 'events']);
    expect(store.grantsOf('anna@example.org', 'mailbox')).toEqual(['mail']);
  });

  it('forgets what has expired', async () => {
    let nowMs = 0;
    const store = createStore({ now: () => nowMs });
    const tokens = store.adapter('AccessToken');
    await tokens.upsert('token', {}, HOUR_S);

    nowMs = HOUR_S * 1000;

    expect(await tokens.find('token')).toBeUndefined();
    expect(store.records()).toEqual([]);
  });

  it('finds a session by its uid until its cookie changes', async () => {
    const sessions = createStore().adapter('Session');
    await sessions.upsert('cookie-1', { uid: 'uid' }, HOUR_S);
    await sessions.destroy('cookie-1');
    expect(await sessions.findByUid('uid')).toBeUndefined();

    await sessions.upsert('cookie-2', { uid: 'uid' }, HOUR_S);
    expect(await sessions.findByUid('uid')).toEqual({ uid: 'uid', jti: 'cookie-2' });
  });

  it('hands out copies', async () => {
    const grants = createStore().adapter('Grant');
    await grants.upsert('id', { clientId: 'mailbox', authorizations: {} }, HOUR_S);

    const copy = await grants.find('id');
    if (copy?.authorizations) copy.authorizations['calendar'] = {};

    expect(await grants.find('id')).toMatchObject({ authorizations: {} });
    expect((await grants.find('id'))?.authorizations).not.toHaveProperty('calendar');
  });

  it('keeps no token that could be presented', async () => {
    const store = createStore();
    const payload = { jti: 'the-token', grantId: 'mail' };
    await store.adapter('RefreshToken').upsert('the-token', payload, HOUR_S);

    expect(JSON.stringify(store.records())).not.toContain('the-token');
    expect(await store.adapter('RefreshToken').find('the-token')).toEqual(payload);
  });

  it('ends the grant when a token is used twice at once', async () => {
    const store = createStore({ usedTwice: () => new Error('already used') });
    await grant(store, 'mail', 'anna@example.org', 'mailbox');
    const tokens = store.adapter('RefreshToken');

    const uses = [tokens.consume('refresh-mail'), tokens.consume('refresh-mail')];

    await expect(Promise.all(uses)).rejects.toThrow('already used');
    expect(store.grantsOf('anna@example.org')).toEqual([]);
  });

  it('lets, when it is full, spent tokens go before anything in use', async () => {
    const spent = Array.from({ length: 10_000 }, (_, n) => record('RefreshToken', `spent-${n}`, 1));
    const live = Array.from({ length: 40_000 }, (_, n) => record('RefreshToken', `live-${n}`));
    const store = createStore({ records: [...live, ...spent] });

    await store.adapter('RefreshToken').upsert('new', {}, HOUR_S);

    const left = store.records().map(({ id }) => id);
    expect(left).toHaveLength(45_001);
    expect(left.filter((id) => id.startsWith('live-'))).toHaveLength(40_000);
  });
});

async function grant(store: Store, id: string, accountId: string, clientId: string) {
  await store.adapter('Grant').upsert(id, { accountId, clientId });
  await store.adapter('AccessToken').upsert(`access-${id}`, { grantId: id }, HOUR_S);
  await store.adapter('RefreshToken').upsert(`refresh-${id}`, { grantId: id }, HOUR_S);
}

const record = (model: string, id: string, consumed?: number) => ({
  model,
  id,
  payload: { consumed },
  expiresAtMs: Number.MAX_SAFE_INTEGER,
});
