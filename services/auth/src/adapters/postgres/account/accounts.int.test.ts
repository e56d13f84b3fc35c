import { beforeAll, describe, expect, it } from '@jest/globals';
import { inRetriedTransaction, inTransaction } from '@junction/eventsourcing/postgres';
import { eventually, useDatabase } from '@junction/testing';
import {
  type AuthOnPostgres,
  authOnPostgres,
  loggedIn,
  newcomer,
} from '../../../../test/auth-on-postgres.js';
import { authSchema } from '../../../../test/schema.js';

const NOW = '2026-01-01T00:00:00.000Z';

const database = useDatabase(authSchema);
let auth: AuthOnPostgres;
beforeAll(async () => {
  auth = await authOnPostgres(database());
});

describe('an e-mail address', () => {
  it('belongs to one of two who register it at the same moment', async () => {
    const person = newcomer();
    const outcomes = await Promise.allSettled([
      auth.app.register(person),
      auth.app.register(person),
      auth.app.register(person),
    ]);

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        expect(outcome.reason).toMatchObject({ kind: 'conflict', code: 'email_taken' });
      }
    }
    expect(await count('select from users where email = $1', person.email)).toBe(1);
  });

  it('is free again when its user is deleted', async () => {
    const person = newcomer();
    const first = await auth.app.register(person);
    await auth.app.deleteUser(first.id);
    const second = await auth.app.register(person);

    expect(second.id).not.toBe(first.id);
    await expect(loggedIn(auth.app, person)).resolves.toMatchObject({ expiresInS: 600 });
  });
});

describe('the deletion of a user', () => {
  it('ends her sessions and keys at once, each with its own event', async () => {
    const person = newcomer();
    const { id } = await auth.app.register(person);
    const [one, two] = [await loggedIn(auth.app, person), await loggedIn(auth.app, person)];
    const { key, keyId } = await auth.app.createApiKey(id, { name: 'laptop' });

    await auth.app.deleteUser(id);

    for (const { refreshToken } of [one, two]) {
      await expect(auth.app.refresh(refreshToken)).rejects.toMatchObject({
        code: 'invalid_refresh_token',
      });
    }
    expect(await auth.app.holderOf(key)).toBeUndefined();
    await expect(auth.app.me(id)).rejects.toMatchObject({ kind: 'unauthenticated' });
    await expect(loggedIn(auth.app, person)).rejects.toMatchObject({ code: 'invalid_credentials' });
    expect((await auth.store.load(`api_key-${keyId}`)).history.at(-1)).toMatchObject({
      type: 'api_key.revoked',
      data: { reason: 'user_deleted' },
    });
    const { rows } = await database().pool.query<{ type: string; payload: Buffer }>(
      `select type, payload from outbox where headers ->> 'ce_subject' = $1 order by type`,
      [id],
    );
    for (const { payload } of rows) expect(payload.includes(person.email)).toBe(false);
    expect(rows.map(({ type }) => type)).toEqual([
      'api_key.created',
      'api_key.revoked',
      'session.revoked',
      'session.revoked',
      'user.deleted',
      'user.registered',
    ]);
  });

  it('leaves nothing in the store from which she could be known', async () => {
    const person = newcomer();
    const { id } = await auth.app.register(person);
    const { keyId } = await auth.app.createApiKey(id, { name: 'the laptop of Ada' });
    const stored = () => count('select from events where data::text ilike $1', `%${person.email}%`);

    expect(await stored()).toBe(0);
    expect((await auth.store.load(`user-${id}`)).history[0]).toMatchObject({
      data: { email: person.email },
    });

    await auth.app.deleteUser(id);
    expect((await auth.store.load(`user-${id}`)).history[0]).toMatchObject({
      data: { email: '[erased]' },
    });
    expect((await auth.store.load(`api_key-${keyId}`)).history[0]).toMatchObject({
      data: { name: '[erased]' },
    });
  });

  it('gives up for now when her streams keep moving under it', async () => {
    const person = newcomer();
    const { id: userId } = await auth.app.register(person);
    await loggedIn(auth.app, person);
    let rounds = 0;
    const late = auth.ports.unitOfWork.inTurn(userId, async (tx) => {
      rounds++;
      const moved = (await tx.sessions.ofUser(userId)).map((session) => ({
        ...session,
        version: 2,
      }));
      await tx.endSessions(moved, { userId, reason: 'user_deleted', at: NOW });
    });
    await expect(late).rejects.toMatchObject({ kind: 'contended', code: 'stream_contended' });
    expect(rounds).toBe(10);
    await expect(auth.app.listSessions(userId)).resolves.toHaveLength(1);
  });

  it('waits for a session that is just being opened, and ends it with the others', async () => {
    const { id: userId } = await auth.app.register(newcomer());
    const sessionId = auth.ports.newSessionId();
    const streamId = `session-${sessionId}`;
    const at = auth.ports.now().toISOString();
    const started = {
      type: 'session.started' as const,
      data: { sessionId, userId, at },
    };

    const opening = [{ streamId, expected: 'none' as const, events: [started] }];
    const deletion = await inTransaction(database().pool, async (tx) => {
      await auth.store.within(tx).append(opening);
      const done = auth.app.deleteUser(userId);
      await eventually(async () => {
        const waiting = `select from pg_stat_activity
                          where datname = current_database() and wait_event_type = $1`;
        expect(await count(waiting, 'Lock')).toBe(1);
      });
      return { done };
    });
    await deletion.done;

    expect((await auth.store.load(streamId)).history.at(-1)).toMatchObject({
      type: 'session.revoked',
      data: { reason: 'user_deleted' },
    });
  });

  it('is done all the same when it deadlocks with somebody else', async () => {
    const { id: userId } = await auth.app.register(newcomer());
    const { keyId } = await auth.app.createApiKey(userId, { name: 'laptop' });
    const { pool } = database();
    let closing: Promise<unknown> | undefined;
    // A transaction that has the key's stream, and then wants the user's row, which the deletion has.
    await inRetriedTransaction(pool, async (tx) => {
      await tx.query('select from streams where stream_id = $1 for update', [`api_key-${keyId}`]);
      if (closing === undefined) {
        closing = auth.app.deleteUser(userId);
        await eventually(async () => {
          const waiting = `select from pg_stat_activity
                            where datname = current_database() and wait_event_type = $1`;
          expect(await count(waiting, 'Lock')).toBe(1);
        });
      }
      await tx.query('select from users where user_id = $1 for update', [userId]);
    });
    await closing;
    expect(await count('select from users where user_id = $1', userId)).toBe(0);
  });

  it('leaves no session or key behind that was being made meanwhile', async () => {
    const person = newcomer();
    const { id } = await auth.app.register(person);

    await Promise.allSettled([
      loggedIn(auth.app, person),
      auth.app.createApiKey(id, { name: 'one' }),
      auth.app.deleteUser(id),
      auth.app.createApiKey(id, { name: 'two' }),
      loggedIn(auth.app, person),
    ]);

    expect(await count('select from sessions where user_id = $1', id)).toBe(0);
    expect(await count('select from api_keys where user_id = $1', id)).toBe(0);
    await expect(loggedIn(auth.app, person)).rejects.toMatchObject({ code: 'invalid_credentials' });
  });
});

async function count(sql: string, value: string): Promise<number> {
  return (await database().pool.query(sql, [value])).rowCount ?? 0;
}
