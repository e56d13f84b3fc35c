import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { newGrant, useAdapters } from '../../../test/on-postgres.js';
import type { Grant, OAuthProvider } from '../../application/ports.js';
import { revokeDue } from '../../application/revoke.js';

const adapters = useAdapters();
const SEPARATE = { separateGrants: true };
const SHARED = { separateGrants: false };

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
    const { pool, revocations } = adapters();
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
    const queued = (await revocations.claim()).map(({ token }) => token().token);
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
    const { connections, history, revocations } = adapters();
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
    const [newest] = await history.events(connectionId, { before: 100, limit: 1 });
    expect(newest?.event.data).toMatchObject({ account: 'eve@example.com', accountChanged: true });
    expect((await revocations.claim()).map(({ token }) => token().token)).toEqual([
      last.refreshToken,
    ]);
  });
});

describe('tokens that were replaced', () => {
  it('stay unrevoked at a provider where that would end the new ones', async () => {
    const { revocations } = adapters();
    const user = newUser();
    await user.connect(newGrant(), SHARED);
    await user.connect(newGrant(), SHARED);
    expect(await revocations.claim()).toEqual([]);
  });

  it('are revoked everywhere when they were of another account', async () => {
    const { revocations } = adapters();
    const user = newUser();
    const first = newGrant({ accountId: 'account-1' });
    await user.connect(first, SHARED);
    await user.connect(newGrant({ accountId: 'account-2' }), SHARED);
    expect((await revocations.claim()).map(({ token }) => token())).toEqual([
      { token: first.refreshToken, hint: 'refresh_token' },
    ]);
  });

  it('are cancelled when the user comes back before they were revoked there', async () => {
    const { revocations } = adapters();
    const user = newUser();
    await user.connect(newGrant(), SHARED);
    await user.disconnect();
    await user.connect(newGrant(), SHARED);
    expect(await revocations.claim()).toEqual([]);
  });

  it('are cancelled for the account that came back, and for no other', async () => {
    const { revocations } = adapters();
    const user = newUser();
    const ofOther = newGrant({ accountId: 'account-2' });
    await user.connect(newGrant({ accountId: 'account-1' }), SHARED);
    await user.disconnect();
    await user.connect(ofOther, SHARED);
    await user.connect(newGrant({ accountId: 'account-1' }), SHARED);
    await user.connect(newGrant({ accountId: 'account-1' }), SHARED);
    expect((await revocations.claim()).map(({ token }) => token().token)).toEqual([
      ofOther.refreshToken,
    ]);
  });

  it('are cancelled also beside one that does not open any more, which goes as well', async () => {
    const { pool, revocations } = adapters();
    const user = newUser();
    const ofOther = newGrant({ accountId: 'account-2' });
    await user.connect(newGrant(), SHARED);
    await user.disconnect();
    await pool.query(`update provider_revocations set sealed = sealed || 'x'::bytea`);
    await user.connect(ofOther, SHARED);
    await user.connect(newGrant(), SHARED);
    expect((await revocations.claim()).map(({ token }) => token().token)).toEqual([
      ofOther.refreshToken,
    ]);
  });

  it('are cancelled also when they came too late for the connection before', async () => {
    const { revocations } = adapters();
    const user = newUser();
    await user.connect(newGrant(), SHARED);
    await user.disconnect();
    const late = { token: 'rt late', hint: 'refresh_token' } as const;
    await revocations.add({ userId: user.id, provider: 'mailbox' }, late);
    await user.connect(newGrant(), SHARED);
    expect(await revocations.claim()).toEqual([]);
  });

  it('are queued for a user who was never connected, too', async () => {
    const { revocations } = adapters();
    const late = { token: 'rt late', hint: 'refresh_token' } as const;
    await revocations.add({ userId: randomUUID(), provider: 'mailbox' }, late);
    expect((await revocations.claim()).map(({ token }) => token())).toEqual([late]);
  });

  it('are revoked by the access token when there is no other', async () => {
    const { revocations } = adapters();
    const user = newUser();
    const grant = newGrant({ refreshToken: undefined });
    await user.connect(grant);
    await user.disconnect();
    expect((await revocations.claim()).map(({ token }) => token())).toEqual([
      { token: grant.accessToken, hint: 'access_token' },
    ]);
  });
});

describe('a connection whose tokens were revoked there', () => {
  it('says so when the outcome of the last is known, unless it was connected again', async () => {
    const user = newUser();
    await user.connect(newGrant());
    await user.connect(newGrant());
    await user.disconnect();
    await answerRevocations('revoked', 1);
    expect(await user.revocation()).toBe('pending');
    await answerRevocations('unsupported');
    expect(await user.revocation()).toBe('unsupported');

    await user.connect(newGrant());
    await user.connect(newGrant());
    await answerRevocations('revoked');
    expect(await user.revocation()).toBeNull();
  });
});

describe('the history of a connection', () => {
  it('goes on through every connect, newest first, and says who acted', async () => {
    const { connections, history } = adapters();
    const user = newUser();
    await user.connect(newGrant());
    await user.disconnect();
    await user.connect(newGrant({ account: 'ada@other.example' }));

    const connectionId = (await connections.find(user.id, 'mailbox'))?.connection_id ?? '';
    const byUser = { kind: 'user', id: user.id };
    expect(await history.events(connectionId, { before: 100, limit: 2 })).toMatchObject([
      {
        version: 3,
        actor: byUser,
        event: { data: { account: 'ada@other.example', credentialVersion: 2 } },
      },
      { version: 2, actor: byUser, event: { type: 'integration.disconnected' } },
    ]);
    expect(await history.events(connectionId, { before: 2, limit: 2 })).toMatchObject([
      { version: 1, event: { data: { account: 'ada@example.com' } } },
    ]);
  });
});

describe('a user who is deleted', () => {
  it('cannot be connected by a request that was under way', async () => {
    const { pool } = adapters();
    const user = newUser();
    await user.delete();
    await expect(user.connect(newGrant())).rejects.toMatchObject({ code: 'unauthenticated' });
    const { rows } = await pool.query('select from connections where user_id = $1', [user.id]);
    expect(rows).toEqual([]);
  });

  it('is deleted once, however often the deletion is told', async () => {
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
    await user.delete();
    const once = await traces();
    await user.delete();
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
    await user.delete();
    const { rows } = await pool.query('select user_id from dead_letters');
    expect(rows).toEqual([{ user_id: other.id }]);
  });

  it('goes together with others of whom was read at once', async () => {
    const { pool, store, deleteUsers } = adapters();
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
    await deleteUsers(users);
    for (const { connection_id, user_id } of rows) {
      const { history } = await store.load(`connection-${connection_id}`);
      const { at } = users.find(({ userId }) => userId === user_id) ?? {};
      expect(history.at(-1)?.type).toBe('integration.deleted');
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
    await user.delete();
    const { history } = await store.load(`connection-${rows[0]?.connection_id}`);
    expect(history.map(({ type }) => type)).toEqual([
      'integration.connected',
      'integration.disconnected',
      'integration.deleted',
    ]);
    expect(history[0]?.data).toMatchObject({ account: '[erased]', accountId: '[erased]' });
    await user.delete();
  });
});

/** The provider gives this answer to the revocations that are due, or to so many of them. */
async function answerRevocations(answer: 'revoked' | 'unsupported', count = 100) {
  const { ports, revocations } = adapters();
  const due = (await revocations.claim()).slice(0, count);
  const provider = { revoke: async () => answer } as unknown as OAuthProvider;
  await revokeDue({
    ...ports,
    providers: new Map([['mailbox', provider]]),
    revocations: { ...revocations, claim: async () => due },
  })();
  await adapters().pool.query('update provider_revocations set next_at = now()');
}

function newUser() {
  const { connect, connections, disconnect, deleteUsers } = adapters();
  const id = randomUUID();
  return {
    id,
    connect: (grant: Grant, { separateGrants } = SEPARATE) =>
      connect({ userId: id, provider: 'mailbox', grant, separateGrants }),
    disconnect: () => disconnect(id, 'mailbox'),
    token: async () => (await connections.current(id, 'mailbox'))?.credential?.open(),
    revocation: async () => (await connections.find(id, 'mailbox'))?.provider_revocation,
    delete: () => deleteUsers([{ userId: id, at: new Date() }]),
  };
}
