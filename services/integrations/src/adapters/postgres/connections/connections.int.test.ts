import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { rebuildProjection } from '@junction/eventsourcing/postgres';
import { readModelsOn } from '@junction/service/testing';
import { leaseIn, newGrant, newUser, useAdapters } from '../../../../test/on-postgres.js';
import { service } from '../../../service.js';

const adapters = useAdapters();

const SHARED = { separateGrants: false };

beforeEach(async () => {
  await adapters().pool.query('delete from provider_revocations');
});

describe('a connection', () => {
  it('hands out the token it was made with, opened from its own row alone', async () => {
    const { pool } = adapters();
    const [ada, bob] = [newUser(adapters), newUser(adapters)];
    const grant = newGrant();
    await ada.connect(grant);
    await bob.connect();
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

  it('gets a data key of its own with each connect, and the one before is destroyed', async () => {
    const { pool } = adapters();
    const user = newUser(adapters);
    await user.connect();
    await user.connect();
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
});

describe('a second consent that brings no refresh token', () => {
  const again = { refreshToken: undefined };
  const held = async (user: ReturnType<typeof newUser>) => {
    const { renewable, credentialVersion: version } = (await user.row()) ?? {};
    return { renewable, refreshToken: leaseIn(await user.lease(version)).refreshToken };
  };

  it('keeps that of the first, as often as it comes, where both are one grant', async () => {
    const user = newUser(adapters);
    const first = newGrant();
    await user.connect(first, SHARED);
    for (let time = 1; time <= 2; time++) {
      const next = newGrant(again);
      await user.connect(next, SHARED);
      expect(await user.token()).toBe(next.accessToken);
    }
    expect(await held(user)).toEqual({ renewable: true, refreshToken: first.refreshToken });
  });

  it('keeps none of another account, of another client or of a connection that ended', async () => {
    const user = newUser(adapters);
    await user.connect(newGrant(), SHARED);
    const otherId = await user.connect(newGrant({ ...again, accountId: '2' }), SHARED);
    const elsewhere = { ...SHARED, identityProvider: 'globex' };
    const elsewhereId = await user.connect(newGrant(again), elsewhere);
    await user.disconnect();
    await user.connect(newGrant(again), SHARED);
    expect(await held(user)).toEqual({ renewable: false, refreshToken: undefined });
    for (const id of [otherId, elsewhereId]) {
      expect(await adapters().connections.get(id)).toMatchObject({ renewable: false });
    }
  });

  it('has that of the first revoked where each consent is a grant of its own', async () => {
    const user = newUser(adapters);
    const first = newGrant();
    await user.connect(first);
    await user.connect(newGrant(again));
    expect(await held(user)).toEqual({ renewable: false, refreshToken: undefined });
    const queued = await adapters().revocations.claim();
    expect(queued.map(({ token }) => token().token)).toEqual([first.refreshToken]);
  });

  it('goes without where what was kept does not open any more', async () => {
    const user = newUser(adapters);
    await user.connect(newGrant(), SHARED);
    await user.change(`refresh_token = refresh_token || 'x'::bytea`);
    await user.connect(newGrant(again), SHARED);
    expect(await held(user)).toEqual({ renewable: false, refreshToken: undefined });
  });
});

describe('a user whose account is closed', () => {
  it('has no connection any more, can make another one, and keeps the key of what is stored', async () => {
    const { store, deleteUsers } = adapters();
    const user = newUser(adapters);
    await user.connect();
    const first = await user.connectionId();
    await deleteUsers([{ userId: user.id, at: new Date(), isFinal: false }]);
    expect(await user.row()).toBeUndefined();
    expect(await user.token()).toBeUndefined();
    const { history } = await store.load(`connection-${first}`);
    expect(history.map(({ type }) => type)).toContain('integration.deleted');
    expect(history[0]?.data).not.toMatchObject({ account: '[erased]' });
    await user.connect();
    expect(await user.connectionId()).not.toBe(first);
  });
});

describe('a user who is deleted', () => {
  it('cannot be connected by a request that was under way', async () => {
    const { pool } = adapters();
    const user = newUser(adapters);
    await user.delete();
    await expect(user.connect()).rejects.toMatchObject({ code: 'unauthenticated' });
    const { rows } = await pool.query('select from connections where user_id = $1', [user.id]);
    expect(rows).toEqual([]);
  });

  it('leaves no dead letter behind', async () => {
    const { pool } = adapters();
    const [user, other] = [newUser(adapters), newUser(adapters)];
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

  it('goes together with others of whom was read at once, once, and no event names the account', async () => {
    const { store, deleteUsers } = adapters();
    const at = new Date('2030-01-01T00:00:00Z');
    const users = [newUser(adapters), newUser(adapters)];
    const streams: string[] = [];
    for (const user of users) {
      await user.connect();
      streams.push(`connection-${await user.connectionId()}`);
    }
    // The deletion is handled twice, and changes nothing the second time.
    for (let time = 1; time <= 2; time++)
      await deleteUsers(users.map(({ id: userId }) => ({ userId, at, isFinal: true })));
    for (const [n, stream] of streams.entries()) {
      const { history } = await store.load(stream);
      expect(history.map(({ type }) => type)).toEqual([
        'integration.connected',
        'integration.disconnected',
        'integration.deleted',
      ]);
      expect(history[0]?.data).toMatchObject({ account: '[erased]', accountId: '[erased]' });
      expect(history.at(-1)?.data).toMatchObject({ at: at.toISOString() });
      expect(await users[n]?.token()).toBeUndefined();
    }
  });
});

describe('questions that come together', () => {
  it('are answered each with its own, also of nobody and of one that was asked for twice', async () => {
    const { currentConnections } = adapters();
    const [ada, bob] = await connected(2);
    const ask = (id: string | undefined) => currentConnections.find(id ?? '', 'mailbox');
    const found = await Promise.all([ada?.id, randomUUID(), bob?.id, ada?.id].map(ask));
    const tokens = found.map((one) => one?.credential?.open());
    expect(tokens).toEqual([ada?.token, undefined, bob?.token, ada?.token]);
    expect(await currentConnections.find(ada?.id ?? '', 'calendar')).toBeUndefined();
  });
});

describe('the read models', () => {
  it('become the same again from the events, also after users were deleted', async () => {
    const { pool, vault } = adapters();
    const [gone, ended, living] = [newUser(adapters), newUser(adapters), newUser(adapters)];
    for (const user of [gone, ended, living]) await user.connect();
    await ended.disconnect();
    await gone.delete();

    const models = readModelsOn(service.streams, pool, vault);
    const rows = async () =>
      (await pool.query('select * from connections order by connection_id')).rows;
    const before = await rows();
    for await (const _ of rebuildProjection(models, 'connections')) continue;
    expect(await rows()).toEqual(before);
    expect(await gone.row()).toBeUndefined();
    expect(await ended.row()).toMatchObject({ status: 'disconnected' });
    expect(await living.row()).toMatchObject({ status: 'active' });
  });
});

/** Connects mailboxes of new users, and returns the users with their tokens. */
async function connected(count: number) {
  const users = Array.from({ length: count }, () => ({
    user: newUser(adapters),
    grant: newGrant(),
  }));
  for (const { user, grant } of users) await user.connect(grant);
  return users.map(({ user: { id }, grant }) => ({ id, token: grant.accessToken }));
}
