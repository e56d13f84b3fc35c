import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing-postgres';
import { newGrant, useAdapters } from '../../../test/on-postgres.js';
import type { Grant } from '../../application/needs.js';

const adapters = useAdapters();
const SEPARATE = { separateGrants: true, at: new Date() };
const SHARED = { separateGrants: false, at: new Date() };

beforeEach(async () => {
  await adapters().pool.query('delete from provider_revocations');
});

describe('a connection', () => {
  it('hands out the token it was made with, opened from its own row alone', async () => {
    const { pool } = adapters();
    const [ada, bob] = [newUser(), newUser()];
    const grant = newGrant();
    await ada.connect(grant);
    await bob.connect(newGrant());
    expect(await ada.token()).toBe(grant.accessToken);

    await pool.query(
      `update credentials a set access_token = b.access_token, key_subject = b.key_subject
         from credentials b, connections ca, connections cb
        where a.connection_id = ca.connection_id and ca.user_id = $1
          and b.connection_id = cb.connection_id and cb.user_id = $2`,
      [ada.id, bob.id],
    );
    const unreadable = expect.objectContaining({ name: 'VaultError', code: 'unreadable' });
    await expect(ada.token()).rejects.toEqual(unreadable);
    await pool.query(
      'delete from data_keys where subject in (select key_subject from credentials)',
    );
    const keyless = expect.objectContaining({ name: 'VaultError', code: 'no_data_key' });
    await expect(bob.token()).rejects.toEqual(keyless);
  });

  it('is one, although it is begun twice at once', async () => {
    const { pool, queue } = adapters();
    const user = newUser();
    const grants = [newGrant(), newGrant()];
    await Promise.all(grants.map(async (grant) => user.connect(grant)));

    const { rows } = await pool.query(
      'select credential_version from connections where user_id = $1',
      [user.id],
    );
    expect(rows).toEqual([{ credential_version: 2 }]);
    const kept = await user.token();
    const replaced = grants.find(({ accessToken }) => accessToken !== kept);
    const queued = (await queue.claim()).map(({ token }) => token().token);
    expect(queued).toEqual([replaced?.refreshToken]);
  });

  it('gets a data key of its own with each connect, and the one before is destroyed', async () => {
    const { pool } = adapters();
    const user = newUser();
    await user.connect(newGrant());
    await user.connect(newGrant());
    const { rows } = await pool.query(
      `select split_part(subject, '#', 2) as version, destroyed_at is not null as destroyed
         from data_keys join connections on subject like connection_id || '#%'
        where user_id = $1 order by 1`,
      [user.id],
    );
    expect(rows).toEqual([
      { version: '1', destroyed: true },
      { version: '2', destroyed: false },
    ]);
  });

  it('keeps the account out of its events in clear', async () => {
    const { pool, store } = adapters();
    const user = newUser();
    await user.connect(newGrant({ account: 'eve@example.com', accountId: 'sub-of-eve' }));
    const { rows } = await pool.query<{ stream_id: string; data: string }>(
      `select stream_id, data::text from events where data ->> 'userId' = $1`,
      [user.id],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.data).not.toMatch(/eve|sub-of/);
    const { history } = await store.load(rows[0]?.stream_id ?? '');
    expect(history[0]?.data).toMatchObject({ account: 'eve@example.com' });
  });
});

describe('another account than before', () => {
  it('is said, in the history as well, and the tokens of the old one are revoked', async () => {
    const { connections, queue } = adapters();
    const user = newUser();
    const first = newGrant({ accountId: 'account-1' });
    expect(await user.connect(first, SHARED)).toEqual({ accountChanged: false });
    expect(await user.connect(newGrant({ accountId: 'account-1' }), SHARED)).toEqual({
      accountChanged: false,
    });
    const last = newGrant({ accountId: 'account-1' });
    await user.connect(last, SHARED);
    const other = newGrant({ accountId: 'account-2', account: 'eve@example.com' });
    expect(await user.connect(other, SHARED)).toEqual({ accountChanged: true });

    const connectionId = (await connections.find(user.id, 'mailbox'))?.connection_id ?? '';
    const [newest] = await connections.history(connectionId, { limit: 1 });
    expect(newest?.item.detail).toMatch(/^Connected eve@example.com, in place of another account/);
    expect((await queue.claim()).map(({ token }) => token().token)).toEqual([last.refreshToken]);
  });
});

describe('tokens that were replaced', () => {
  it('stay unrevoked at a provider where that would end the new ones', async () => {
    const { queue } = adapters();
    const user = newUser();
    await user.connect(newGrant(), SHARED);
    await user.connect(newGrant(), SHARED);
    expect(await queue.claim()).toEqual([]);
  });

  it('are revoked everywhere when they were of another account', async () => {
    const { queue } = adapters();
    const user = newUser();
    const first = newGrant({ accountId: 'account-1' });
    await user.connect(first, SHARED);
    await user.connect(newGrant({ accountId: 'account-2' }), SHARED);
    expect((await queue.claim()).map(({ token }) => token())).toEqual([
      { token: first.refreshToken, hint: 'refresh_token' },
    ]);
  });

  it('are forgiven when the user comes back before they were revoked there', async () => {
    const { connections, queue } = adapters();
    const user = newUser();
    await user.connect(newGrant(), SHARED);
    await connections.disconnect(user.id, 'mailbox', new Date());
    await user.connect(newGrant(), SHARED);
    expect(await queue.claim()).toEqual([]);
  });

  it('are forgiven for the account that came back, and for no other', async () => {
    const { connections, queue } = adapters();
    const user = newUser();
    const ofOther = newGrant({ accountId: 'account-2' });
    await user.connect(newGrant({ accountId: 'account-1' }), SHARED);
    await connections.disconnect(user.id, 'mailbox', new Date());
    await user.connect(ofOther, SHARED);
    await user.connect(newGrant({ accountId: 'account-1' }), SHARED);
    await user.connect(newGrant({ accountId: 'account-1' }), SHARED);
    expect((await queue.claim()).map(({ token }) => token().token)).toEqual([ofOther.refreshToken]);
  });

  it('are forgiven also beside one that does not open any more, which goes as well', async () => {
    const { connections, pool, queue } = adapters();
    const user = newUser();
    const ofOther = newGrant({ accountId: 'account-2' });
    await user.connect(newGrant(), SHARED);
    await connections.disconnect(user.id, 'mailbox', new Date());
    await pool.query(`update provider_revocations set sealed = sealed || 'x'::bytea`);
    await user.connect(ofOther, SHARED);
    await user.connect(newGrant(), SHARED);
    expect((await queue.claim()).map(({ token }) => token().token)).toEqual([ofOther.refreshToken]);
  });

  it('are forgiven also when they came too late for the connection before', async () => {
    const { connections, queue } = adapters();
    const user = newUser();
    await user.connect(newGrant(), SHARED);
    await connections.disconnect(user.id, 'mailbox', new Date());
    const late = { token: 'rt late', hint: 'refresh_token' } as const;
    await queue.add({ userId: user.id, provider: 'mailbox' }, late);
    await user.connect(newGrant(), SHARED);
    expect(await queue.claim()).toEqual([]);
  });

  it('are queued for a user who was never connected, too', async () => {
    const { queue } = adapters();
    const late = { token: 'rt late', hint: 'refresh_token' } as const;
    await queue.add({ userId: randomUUID(), provider: 'mailbox' }, late);
    expect((await queue.claim()).map(({ token }) => token())).toEqual([late]);
  });

  it('are revoked by the access token when there is no other', async () => {
    const { connections, queue } = adapters();
    const user = newUser();
    const grant = newGrant({ refreshToken: undefined });
    await user.connect(grant);
    await connections.disconnect(user.id, 'mailbox', new Date());
    expect((await queue.claim()).map(({ token }) => token())).toEqual([
      { token: grant.accessToken, hint: 'access_token' },
    ]);
  });
});

describe('a connection whose tokens were revoked there', () => {
  it('says so when the last of them is settled, unless it was connected again', async () => {
    const { connections, queue } = adapters();
    const user = newUser();
    const revocation = async () =>
      (await connections.find(user.id, 'mailbox'))?.provider_revocation;
    await user.connect(newGrant());
    await user.connect(newGrant());
    await connections.disconnect(user.id, 'mailbox', new Date());
    const [first, second] = await queue.claim();
    if (!first || !second) throw new Error('Two tokens were to be revoked.');
    await queue.settle(first, 'done', new Date());
    expect(await revocation()).toBe('pending');
    await queue.settle(second, 'unsupported', new Date());
    expect(await revocation()).toBe('unsupported');

    await user.connect(newGrant());
    await user.connect(newGrant());
    const [replaced] = await queue.claim();
    if (replaced) await queue.settle(replaced, 'done', new Date());
    expect(await revocation()).toBeNull();
  });

  it('says the worst that came of any of them', async () => {
    const { connections, queue } = adapters();
    const user = newUser();
    for (const _ of ['replaced', 'replaced', 'last']) await user.connect(newGrant());
    await connections.disconnect(user.id, 'mailbox', new Date());
    const said = [];
    const outcomes = ['unsupported', 'failed', 'done'] as const;
    for (const [at, queued] of (await queue.claim()).entries()) {
      await queue.settle(queued, outcomes[at] ?? 'done', new Date());
      said.push((await connections.find(user.id, 'mailbox'))?.provider_revocation);
    }
    expect(said).toEqual(['unsupported', 'failed', 'failed']);
  });
});

describe('the history of a connection', () => {
  it('goes on through every connect, newest first, and says who acted', async () => {
    const { connections } = adapters();
    const user = newUser();
    await user.connect(newGrant());
    await connections.disconnect(user.id, 'mailbox', new Date());
    await user.connect(newGrant({ account: 'ada@other.example' }));

    const connectionId = (await connections.find(user.id, 'mailbox'))?.connection_id ?? '';
    const newest = await connections.history(connectionId, { limit: 2 });
    expect(newest).toMatchObject([
      { version: 3, item: { actor: 'user', account: 'ada@other.example', credentialVersion: 2 } },
      { version: 2, item: { actor: 'user', type: 'integration.disconnected' } },
    ]);
    expect(await connections.history(connectionId, { before: 2, limit: 2 })).toMatchObject([
      { version: 1, item: { account: 'ada@example.com' } },
    ]);
  });
});

describe('a user who is forgotten', () => {
  it('cannot be connected by a request that was under way', async () => {
    const { pool } = adapters();
    const user = newUser();
    await user.forget();
    await expect(user.connect(newGrant())).rejects.toMatchObject({ code: 'unauthenticated' });
    const { rows } = await pool.query('select from connections where user_id = $1', [user.id]);
    expect(rows).toEqual([]);
  });

  it('is forgotten once, however often the deletion is told', async () => {
    const { pool } = adapters();
    const user = newUser();
    await user.connect(newGrant());
    const traces = async () =>
      (
        await pool.query<{ events: number; revocations: number }>(
          `select (select count(*)::int from events) as events,
                  (select count(*)::int from provider_revocations) as revocations`,
        )
      ).rows[0];
    await user.forget();
    const once = await traces();
    await user.forget();
    expect(await traces()).toEqual(once);
  });

  it('leaves no dead letter behind', async () => {
    const { pool } = adapters();
    const [user, other] = [newUser(), newUser()];
    for (const { id } of [user, other]) {
      await pool.query(
        `insert into dead_letters (id, consumer, topic, partition, record_offset, key, headers, payload,
                                   recorded_at, reason_code, reason_text, user_id)
         values ($1, 'integrations.auth', 'auth.events.v1', 0, 0, $2::text, '{}', 'x', now(), 'x', 'x', $2::uuid)`,
        [randomUUID(), id],
      );
    }
    await user.forget();
    const { rows } = await pool.query('select user_id from dead_letters');
    expect(rows).toEqual([{ user_id: other.id }]);
  });

  it('goes together with others of whom was read at once', async () => {
    const { pool, store, forget } = adapters();
    const [one, other] = [newUser(), newUser()];
    const users = [
      { userId: one.id, at: new Date('2030-01-01T00:00:00Z') },
      { userId: other.id, at: new Date('2030-01-02T00:00:00Z') },
    ];
    for (const user of [one, other]) await user.connect(newGrant());
    const { rows } = await pool.query<{ connection_id: string; user_id: string }>(
      'select connection_id, user_id from connections where user_id = any ($1)',
      [users.map(({ userId }) => userId)],
    );
    expect(rows).toHaveLength(2);
    await inTransaction(pool, (tx) => forget(tx, users));
    for (const { connection_id, user_id } of rows) {
      const { history } = await store.load(`connection-${connection_id}`);
      const { at } = users.find(({ userId }) => userId === user_id) ?? {};
      expect(history.at(-1)?.type).toBe('integration.forgotten');
      expect(history.at(-1)?.data).toMatchObject({ at: at?.toISOString() });
    }
    expect(await one.token()).toBeUndefined();
    expect(await other.token()).toBeUndefined();
  });

  it('leaves events behind that name no account', async () => {
    const { pool, store } = adapters();
    const user = newUser();
    await user.connect(newGrant());
    const { rows } = await pool.query<{ connection_id: string }>(
      'select connection_id from connections where user_id = $1',
      [user.id],
    );
    await user.forget();
    const { history } = await store.load(`connection-${rows[0]?.connection_id}`);
    expect(history.map(({ type }) => type)).toEqual([
      'integration.connected',
      'integration.disconnected',
      'integration.forgotten',
    ]);
    expect(history[0]?.data).toMatchObject({ account: '[erased]', accountId: '[erased]' });
    await user.forget();
  });
});

function newUser() {
  const { connections, pool, forget } = adapters();
  const id = randomUUID();
  return {
    id,
    connect: (grant: Grant, options = SEPARATE) =>
      connections.connect(id, 'mailbox', grant, options),
    token: async () => (await connections.standing(id, 'mailbox'))?.credential?.open(),
    forget: () => inTransaction(pool, (tx) => forget(tx, [{ userId: id, at: new Date() }])),
  };
}
