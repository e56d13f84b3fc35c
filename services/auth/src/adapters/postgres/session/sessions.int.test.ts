import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { keyRing, type RotationProgress, ringPlaces, rotateKeys } from '@junction/vault';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import pg from 'pg';
import {
  type AuthOnPostgres,
  authOnPostgres,
  codeOf,
  loggedIn,
  newcomer,
  REFRESH_TTL_MS,
  REUSE_WINDOW_MS,
  RING_TEXT,
} from '../../../../test/auth-on-postgres.js';
import { authSchema } from '../../../../test/schema.js';
import { ringColumns } from '../ring-columns.js';

const database = useDatabase(authSchema);
let auth: AuthOnPostgres;
beforeAll(async () => {
  auth = await authOnPostgres(database());
});

const refused = expect.objectContaining({ code: 'invalid_refresh_token' });

describe('a refresh token', () => {
  it('gives all who present it at the same moment the identical successor', async () => {
    const { refreshToken } = await begun();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => auth.app.refresh(refreshToken)),
    );

    const successors = new Set(answers.map((answer) => answer.refreshToken));
    expect(successors.size).toBe(1);
    expect(successors).not.toContain(refreshToken);
  });

  it('gives the identical successor again within the window, and that one works', async () => {
    const { refreshToken } = await begun();
    const first = await auth.app.refresh(refreshToken);
    auth.later(REUSE_WINDOW_MS - 2_000);
    const again = await auth.app.refresh(refreshToken);

    expect(again.refreshToken).toBe(first.refreshToken);
    await expect(auth.app.refresh(first.refreshToken)).resolves.toBeDefined();
  });

  it('ends its whole family when it comes back after the window', async () => {
    const { refreshToken, sessionId } = await begun();
    const { refreshToken: second } = await auth.app.refresh(refreshToken);
    const { refreshToken: third } = await auth.app.refresh(second);
    auth.later(REUSE_WINDOW_MS + 1_000);

    await expect(auth.app.refresh(refreshToken)).rejects.toEqual(refused);
    await expect(auth.app.refresh(third)).rejects.toEqual(refused);
    expect((await auth.store.load(`session-${sessionId}`)).history.at(-1)).toMatchObject({
      type: 'session.revoked',
      data: { reason: 'refresh_token_reused' },
    });
  });

  it('is stored as a hash, and its successor sealed for the window only', async () => {
    const { refreshToken } = await begun();
    const { refreshToken: successor } = await auth.app.refresh(refreshToken);
    const sealed = async () =>
      (await database().pool.query('select from refresh_tokens where successor_sealed is not null'))
        .rowCount;

    const { rows } = await database().pool.query<{ row: string }>(
      `select encode(token_hash, 'escape') || encode(coalesce(successor_sealed, ''), 'escape') as row
         from refresh_tokens`,
    );
    for (const { row } of rows) {
      expect(row).not.toContain(refreshToken.slice(6));
      expect(row).not.toContain(successor.slice(6));
    }

    expect(await sealed()).toBeGreaterThan(0);
    auth.later(REUSE_WINDOW_MS + 1_000);
    await auth.app.deleteSuccessors();
    expect(await sealed()).toBe(0);
  });
});

describe('a login', () => {
  it('is nine statements, and one more where wrong passwords are to be forgotten', async () => {
    const { person } = await begun();
    const statements = jest.spyOn(pg.Client.prototype, 'query');
    const login = async () => {
      statements.mockClear();
      await loggedIn(auth.app, person);
      return statements.mock.calls.length;
    };
    expect(await login()).toBe(9);
    const guess = auth.app.login({ ...person, password: 'not the password' });
    expect(await codeOf(guess)).toBe('invalid_credentials');
    expect([await login(), await login()]).toEqual([10, 9]);
    statements.mockRestore();
  });
});

describe('a log-out', () => {
  it('that races an exchange leaves no live token', async () => {
    for (let round = 0; round < 8; round++) {
      const { refreshToken, userId, sessionId } = await begun();
      const [exchange] = await Promise.allSettled([
        auth.app.refresh(refreshToken),
        auth.app.logout({ userId, sessionId }, undefined),
      ]);

      const tokens = [refreshToken];
      if (exchange.status === 'fulfilled') tokens.push(exchange.value.refreshToken);
      for (const token of tokens) await expect(auth.app.refresh(token)).rejects.toEqual(refused);
      expect(await auth.app.isRevoked([userId, sessionId])).toBe(true);
    }
  });

  it('ends the session of the refresh token as well, when it is of the same user', async () => {
    const mine = await begun();
    const another = await loggedIn(auth.app, mine.person);
    const stranger = await begun();

    await auth.app.logout(mine, another.refreshToken);
    await expect(auth.app.refresh(another.refreshToken)).rejects.toEqual(refused);

    await auth.app.logout(mine, stranger.refreshToken);
    await expect(auth.app.refresh(stranger.refreshToken)).resolves.toBeDefined();
  });
});

describe('a session', () => {
  it('ends when nobody used its last token in time', async () => {
    const { refreshToken, sessionId } = await begun();
    auth.later(REFRESH_TTL_MS + 1_000);

    await expect(auth.app.refresh(refreshToken)).rejects.toEqual(refused);
    await auth.app.endExpiredSessions();
    expect((await auth.store.load(`session-${sessionId}`)).history.at(-1)).toMatchObject({
      data: { reason: 'expired' },
    });
    const { rowCount } = await database().pool.query('select from refresh_tokens');
    expect(rowCount).toBe(0);
  });

  it('gives way to a newer one when a user opens too many', async () => {
    const { person, sessionId, userId } = await begun();
    const opened = Array.from({ length: 99 }, () => auth.ports.newSessionId());
    await database().pool.query(
      `insert into sessions (session_id, version, started_at, user_id)
       select unnest($1::text[]), 1, $2::timestamptz, $3`,
      [opened, auth.ports.now(), userId],
    );

    expect(await auth.app.isRevoked([userId, sessionId])).toBe(false);
    await loggedIn(auth.app, person);
    expect(await auth.app.isRevoked([userId, sessionId])).toBe(true);
  });
});

describe('a rotation of the key ring', () => {
  it('seals anew the keys that sign, and the successors that may be asked for again', async () => {
    const { refreshToken } = await begun();
    const first = await auth.app.refresh(refreshToken);
    const { pool } = database();
    const newKey = `k2:${Buffer.alloc(32, 8).toString('base64url')}`;
    const places = ringPlaces(ringColumns);
    const told: RotationProgress[] = [];
    const rotation = rotateKeys({ pool, ring: keyRing(`${newKey},${RING_TEXT}`), places });
    for await (const progress of rotation) told.push(progress);
    expect(told.at(-1)).toMatchObject({ phase: 'done', unreadable: 0, rowsLeft: 0 });
    // The key that signs, and the successor at least.
    expect(told.at(-1)?.rowsDone).toBeGreaterThan(1);

    const { app } = await authOnPostgres(database(), keyRing(newKey));
    const next = await app.refresh(first.refreshToken);
    expect(decodeProtectedHeader(next.accessToken).kid).toBe(
      decodeProtectedHeader(first.accessToken).kid,
    );
  });
});

async function begun() {
  const person = newcomer();
  const { id: userId } = await auth.app.register(person);
  const tokens = await loggedIn(auth.app, person);
  return { ...tokens, person, userId, sessionId: String(decodeJwt(tokens.accessToken)['sid']) };
}
