import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { idempotencyColumns } from '@junction/service/callers';
import {
  keyRing,
  openWithRing,
  type RotationProgress,
  ringPlaces,
  rotateKeys,
  sealWithRing,
} from '@junction/vault';
import { newlyConsumed, RING_TEXT, useAdapters } from '../../../../test/on-postgres.js';
import { releaseCode } from '../../../application/connecting/consume-code.js';
import type { Client } from '../../../domain/connection/events.js';
import { postgresRevocations } from '../ending/revocations.js';
import { ringColumns } from '../ring-columns.js';
import { authorizationTable, purgeAuthorizations } from './authorizations.js';

const adapters = useAdapters();
const REDIRECT_URI = 'https://junction.example/connect/acme/mailbox/callback';
const MAILBOX = { identityProvider: 'acme', provider: 'mailbox' } as const;
const CALENDAR = { ...MAILBOX, provider: 'calendar' } as const;
const ELSEWHERE = { ...MAILBOX, identityProvider: 'globex' } as const;

describe('an authorization', () => {
  it('gives back what it was begun with, once', async () => {
    const user = newUser();
    const state = await user.begin();
    const consumed = await user.consume(randomUUID(), state);
    expect(consumed).toMatchObject({ ...secretsOf(state), redirectUri: REDIRECT_URI });
    await expect(user.consume(randomUUID(), state)).rejects.toMatchObject({
      code: 'invalid_state',
    });
  });

  it('without a state is the newest', async () => {
    const user = newUser();
    const [older, newer] = [await user.begin(), await user.begin()];
    expect(await user.consume(randomUUID())).toMatchObject(secretsOf(newer));
    expect(await user.consume(randomUUID())).toMatchObject(secretsOf(older));
    await expect(user.consume(randomUUID())).rejects.toMatchObject({ code: 'invalid_auth_code' });
  });

  it('belongs to its user and its client', async () => {
    const [user, other] = [newUser(), newUser()];
    const state = await user.begin();
    await expect(other.consume(randomUUID(), state)).rejects.toMatchObject({
      code: 'invalid_state',
    });
    for (const client of [CALENDAR, ELSEWHERE]) {
      await expect(user.consume(randomUUID(), state, client)).rejects.toMatchObject({
        code: 'invalid_state',
      });
    }
    await expect(user.consume(randomUUID(), state)).resolves.toBeDefined();
  });

  it('says where it was begun: where its code was sent, the one of a state, or the newest', async () => {
    const { authorizations } = adapters();
    const user = newUser();
    const older = await user.begin(undefined, ELSEWHERE);
    await user.begin();
    const code = randomUUID();
    const begunAt = async (state?: string, userId = user.id) =>
      authorizations.identityProvider({ userId, provider: 'mailbox', state, code }, [
        'acme',
        'globex',
      ]);
    expect(await begunAt()).toBe('acme');
    expect(await begunAt(older)).toBe('globex');
    expect(await begunAt(older, randomUUID())).toBeUndefined();
    expect(await begunAt(randomUUID())).toBeUndefined();

    await user.consume(code, older, ELSEWHERE);
    expect(await begunAt(older)).toBe('globex');
    expect(await begunAt()).toBe('globex');
    expect(await begunAt(undefined, randomUUID())).toBeUndefined();
  });

  it('ends after ten minutes, and is then deleted', async () => {
    const { pool } = adapters();
    const user = newUser();
    const state = await user.begin();
    const { rows } = await pool.query(
      `select expires_at - created_at = interval '10 minutes' as is_ten
         from pending_authorizations where user_id = $1`,
      [user.id],
    );
    expect(rows).toEqual([{ is_ten: true }]);

    await pool.query('update pending_authorizations set expires_at = now() where user_id = $1', [
      user.id,
    ]);
    await expect(user.consume(randomUUID(), state)).rejects.toMatchObject({
      code: 'invalid_state',
    });
    await purgeAuthorizations(pool);
    expect(await user.count()).toBe(0);
  });

  it('is one of twenty at most', async () => {
    const user = newUser();
    const first = await user.begin();
    for (let n = 2; n <= 21; n++) await user.begin();
    expect(await user.count()).toBe(20);
    await expect(user.consume(randomUUID(), first)).rejects.toMatchObject({
      code: 'invalid_state',
    });
  });
});

describe('an authorization whose code is being exchanged', () => {
  it('is completed once', async () => {
    const { within } = adapters();
    const user = newUser();
    const consumed = await user.consume(randomUUID(), await user.begin());
    const complete = async () => within(async (tx) => tx.authorizations.complete(consumed));
    expect(await complete()).toBe(true);
    expect(await complete()).toBe(false);
  });

  it('is none of the twenty, and outlives its ten minutes', async () => {
    const { within, pool } = adapters();
    const user = newUser();
    const state = await user.begin();
    await pool.query(
      `update pending_authorizations set expires_at = now() + interval '1 second' where user_id = $1`,
      [user.id],
    );
    const consumed = await user.consume(randomUUID(), state);
    for (let n = 1; n <= 21; n++) await user.begin();
    const { rows } = await pool.query(
      `select from pending_authorizations
        where consumed_at is not null and expires_at > now() + interval '50 seconds' and user_id = $1`,
      [user.id],
    );
    expect(rows).toHaveLength(1);
    expect(await within(async (tx) => tx.authorizations.complete(consumed))).toBe(true);
  });

  it('is ended by a disconnect, with those that wait for their code', async () => {
    const { disconnect, within } = adapters();
    const user = newUser();
    const waiting = await user.begin();
    const consumed = await user.consume(randomUUID(), await user.begin());
    await disconnect(user.id, 'mailbox');
    expect(await within(async (tx) => tx.authorizations.complete(consumed))).toBe(false);
    await expect(user.consume(randomUUID(), waiting)).rejects.toMatchObject({
      code: 'invalid_state',
    });
  });
});

describe('the address to return to', () => {
  it('is known by the state it was begun with, for its client, while that waits', async () => {
    const { authorizations, ports, pool } = adapters();
    const user = newUser();
    const [here, there] = ['https://app.example/here', 'https://app.example/there'];
    const [one, other, none] = [
      await user.begin(here),
      await user.begin(there),
      await user.begin(),
    ];
    const known = async (state: string, client: Client = MAILBOX) =>
      authorizations.returnTo(client, state);
    expect(
      await Promise.all([one, other, none, randomUUID()].map((state) => known(state))),
    ).toEqual([here, there, undefined, undefined]);
    expect(await known(one, CALENDAR)).toBeUndefined();
    expect(await known(one, ELSEWHERE)).toBeUndefined();

    const code = randomUUID();
    const consumed = await user.consume(code, one);
    expect(await known(one)).toBeUndefined();
    await releaseCode(ports, { ...MAILBOX, userId: user.id, code }, consumed);
    expect(await known(one)).toBe(here);

    await pool.query('update pending_authorizations set expires_at = now() where user_id = $1', [
      user.id,
    ]);
    expect(await known(other)).toBeUndefined();
  });
});

describe('a code', () => {
  it('is used once, by one of those who bring it at the same time', async () => {
    const user = newUser();
    await user.begin();
    await user.begin();
    const code = randomUUID();
    const outcomes = await Promise.allSettled([user.consume(code), user.consume(code)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await user.count()).toBe(1);
  });

  it('that was used before costs no authorization', async () => {
    const [user, other] = [newUser(), newUser()];
    const code = randomUUID();
    await user.begin();
    await user.consume(code);
    await other.begin();
    await expect(other.consume(code)).rejects.toMatchObject({ code: 'invalid_auth_code' });
    expect(await other.count()).toBe(1);
  });

  it('is refused after twenty others, until the oldest of them is ten minutes old', async () => {
    const { pool } = adapters();
    const user = newUser();
    const state = await user.begin();
    await pool.query(
      `insert into used_codes (code_hash, user_id, used_at)
       select uuid_send(gen_random_uuid()), $1, now() - make_interval(mins => 8 + n % 2)
         from generate_series(1, 20) n`,
      [user.id],
    );
    await expect(user.consume(randomUUID(), state)).rejects.toMatchObject({
      kind: 'rate_limited',
      code: 'too_many_codes',
      retryAfterS: expect.closeTo(60, 0),
    });

    const age = `update used_codes set used_at = used_at - interval '1 minute' where user_id = $1`;
    await pool.query(age, [user.id]);
    await expect(user.consume(randomUUID(), state)).resolves.toBeDefined();
  });

  it('that never left can be used after all', async () => {
    const { ports } = adapters();
    const user = newUser();
    const state = await user.begin();
    const code = randomUUID();
    const sent = { ...MAILBOX, userId: user.id, code };
    await releaseCode(ports, sent, await user.consume(code, state));
    expect(await user.consume(code, state)).toMatchObject(secretsOf(state));
  });
});

describe('a rotation of the key ring', () => {
  it('seals anew what is begun, what is still to be revoked, and kept answers', async () => {
    const { pool, revocations } = adapters();
    const user = newUser();
    const state = await user.begin();
    const token = { token: 'rt', hint: 'refresh_token' } as const;
    await revocations.add({ ...MAILBOX, userId: user.id, accountId: 'account-1' }, token);

    const answer = idempotencyColumns.find(({ column }) => column === 'answer');
    const place = answer?.place('kept') ?? '';
    const sealed = sealWithRing(keyRing(RING_TEXT), Buffer.from('an answer'), place);
    await pool.query(
      `insert into idempotency_keys
       values ('kept', $1, '', '', gen_random_uuid(), now(), $2, now() + interval '1 hour')`,
      [user.id, sealed],
    );

    const newKey = `k2:${randomBytes(32).toString('base64url')}`;
    const ring = keyRing(`${newKey},${RING_TEXT}`);
    const progressed: RotationProgress[] = [];
    const rotation = rotateKeys({ pool, ring, places: ringPlaces(ringColumns) });
    for await (const progress of rotation) progressed.push(progress);
    expect(progressed.at(-1)).toMatchObject({ phase: 'done', rowsLeft: 0 });

    const table = authorizationTable(pool, keyRing(newKey));
    const consumed = await table.consume({ ...MAILBOX, userId: user.id, state }, 60);
    expect(consumed).toMatchObject(secretsOf(state));
    const [queued] = await postgresRevocations(pool, keyRing(newKey)).claim();
    expect(queued?.token()).toEqual(token);
    const { rows } = await pool.query<{ answer: Buffer }>(
      `select answer from idempotency_keys where id = 'kept'`,
    );
    expect(String(openWithRing(keyRing(newKey), rows[0]?.answer ?? sealed, place))).toBe(
      'an answer',
    );
  });
});

const secretsOf = (state: string) => ({ verifier: `v ${state}`, nonce: `n ${state}` });

function newUser() {
  const { authorizations, ports, pool } = adapters();
  const userId = randomUUID();
  return {
    id: userId,
    async begin(returnTo?: string, client: Client = MAILBOX): Promise<string> {
      const state = randomUUID();
      const request = { state, ...secretsOf(state), redirectUri: REDIRECT_URI, returnTo };
      await authorizations.add({ ...request, ...client, userId }, { validForS: 600, keptMax: 20 });
      return state;
    },
    consume: (code: string, state?: string, client: Client = MAILBOX) =>
      newlyConsumed(ports, { ...client, userId, code, state, onLimit: () => {} }),
    async count(): Promise<number> {
      const { rows } = await pool.query(
        'select from pending_authorizations where user_id = $1 and consumed_at is null',
        [userId],
      );
      return rows.length;
    },
  };
}
