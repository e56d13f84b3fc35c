import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import { AppError } from '@junction/errors';
import { migrate } from '@junction/eventsourcing/postgres';
import { eventually, useDatabase } from '@junction/testing';
import { keyRing, openWithRing, sealWithRing } from '@junction/vault';
import { Router } from 'express';
import { closeLater, closeOpened, readableLog, until } from '../../test/loopback.js';
import { openApp } from '../../test/open-app.js';
import { jsonBody } from '../http/body.js';
import { setCaller } from '../http/caller.js';
import { idempotency } from './idempotency.js';
import { idempotencyMigrations, type Sealing } from './idempotency-store.js';

const database = useDatabase((url) => migrate(url, idempotencyMigrations));

beforeEach(async () => {
  await database().pool.query('truncate idempotency_keys');
});
afterEach(closeOpened);

describe('a POST with an Idempotency-Key', () => {
  it('is executed once, and answered alike ever after', async () => {
    const { post, executed } = await open();
    const first = await post({ key: 'k', body: { name: 'a' } });
    const again = await post({ key: 'k', body: { name: 'a' } });
    expect(first).toEqual({ status: 201, body: { n: 1, name: 'a' }, location: '/things/1' });
    expect(again).toEqual({ ...first, replayed: 'true' });
    expect(executed()).toBe(1);
  });

  it('is another request for another user, another path or another key', async () => {
    const { post, executed } = await open();
    await post({ key: 'k' });
    await post({ key: 'k', user: 'bob' });
    await post({ key: 'k', path: '/things/1/parts' });
    await post({ key: 'l' });
    expect(executed()).toBe(4);
  });

  it('is refused with another body or another query', async () => {
    const { post, executed } = await open();
    await post({ key: 'k', body: { name: 'a' } });
    const reused = { status: 422, body: { code: 'idempotency_key_reused' } };
    expect(await post({ key: 'k', body: { name: 'b' } })).toMatchObject(reused);
    expect(await post({ key: 'k', body: { name: 'a' }, path: '/things?x=1' })).toMatchObject(
      reused,
    );
    expect(executed()).toBe(1);
  });

  it('is the same request however its JSON is written', async () => {
    const { post, executed } = await open();
    const [one, ...others] = [
      '{"name":"a","n":{"b":[1,{"d":0,"c":null}],"a":1}}',
      ' {\n "n": {"a": 1.0, "b": [1, {"c": null, "d": 0}]},\n "name": "\\u0061" }',
      '{"name":"b","name":"a","n":{"a":10e-1,"b":[1,{"d":0,"c":null}]}}',
    ] as const;
    const first = await post({ key: 'k', text: one });
    for (const text of others)
      expect(await post({ key: 'k', text })).toEqual({ ...first, replayed: 'true' });
    for (const text of [one.replace('[1,', '['), one.replace('null', '"null"')]) {
      expect(await post({ key: 'k', text })).toMatchObject({ status: 422 });
    }
    expect(executed()).toBe(1);
  });

  it.each([
    ['a new row', 'null'],
    ['a row that had another body a day ago', `'another'`],
  ])('is the same request where the version before wrote %s', async (_, valueHash) => {
    const { post, executed } = await open();
    const text = '{"name":"a","a":1}';
    const first = await post({ key: 'k', text });
    await database().pool.query(`update idempotency_keys set value_hash = ${valueHash}`);
    expect(await post({ key: 'k', text })).toEqual({ ...first, replayed: 'true' });
    expect(await post({ key: 'k', text: '{"a":1,"name":"a"}' })).toMatchObject({ status: 422 });
    expect(executed()).toBe(1);
  });

  it('is told to wait while the first one is being executed, whoever was first', async () => {
    const { post, gate, executed } = await open();
    gate.close();
    let conflicts = 0;
    const answers = Array.from({ length: 3 }, async () => {
      const answer = await post({ key: 'k' });
      if (answer.status === 409) conflicts += 1;
      return answer;
    });
    await until(() => conflicts === 2);
    expect(await post({ key: 'k' })).toMatchObject({
      status: 409,
      body: { code: 'idempotency_in_progress' },
    });
    gate.open();
    expect((await Promise.all(answers)).map(({ status }) => status).sort((a, b) => a - b)).toEqual([
      201, 409, 409,
    ]);
    expect(executed()).toBe(1);
  });

  it.each(['invalid', 'internal', 'unavailable', 'rate_limited', 'contended'])(
    'is executed again when the answer was %s, with whatever body',
    async (fail) => {
      const { post, executed } = await open();
      expect((await post({ key: 'k', body: { fail } })).status).toBeGreaterThanOrEqual(400);
      const corrected = await post({ key: 'k', body: { name: 'a' } });
      expect(corrected).toMatchObject({ status: 201, body: { n: 2 } });
      expect(corrected.replayed).toBeUndefined();
      expect(executed()).toBe(2);
    },
  );

  it('is kept to its end when its caller hangs up, and answered to the next', async () => {
    const { post, gate, executed } = await open();
    gate.close();
    const abort = new AbortController();
    const hungUp = post({ key: 'k', signal: abort.signal });
    await until(() => executed() === 1);
    abort.abort();
    await expect(hungUp).rejects.toMatchObject({ name: 'AbortError' });
    gate.open();

    await eventually(async () => {
      const answer = { status: 201, body: { n: 1 }, replayed: 'true' };
      expect(await post({ key: 'k' })).toMatchObject(answer);
    });
  });

  it('is executed again when whoever began it died and the lease is over', async () => {
    const { post, gate, executed } = await open();
    gate.close();
    const dead = post({ key: 'k' });
    await until(() => executed() === 1);
    expect((await post({ key: 'k' })).status).toBe(409);
    await database().pool.query(`update idempotency_keys set leased_until = now()`);

    const next = post({ key: 'k' });
    await until(() => executed() === 2);
    expect((await post({ key: 'k' })).status).toBe(409);
    gate.open();
    expect(await next).toMatchObject({ status: 201, body: { n: 2 } });
    await dead;
    // The one given up for dead came back: its answer does not replace the other.
    expect(await post({ key: 'k' })).toMatchObject({ body: { n: 2 }, replayed: 'true' });
  });

  it('is a new request after 24 hours', async () => {
    const { post, executed } = await open();
    await post({ key: 'k', body: { name: 'a' } });
    const { rows } = await database().pool.query<{ hours: number }>(
      `select round(extract(epoch from expires_at - now()) / 3600)::int as hours from idempotency_keys`,
    );
    expect(rows).toEqual([{ hours: 24 }]);
    await database().pool.query(`update idempotency_keys set expires_at = now()`);
    expect(await post({ key: 'k', body: { name: 'b' } })).toMatchObject({ status: 201 });
    expect(executed()).toBe(2);
  });

  it('leaves nothing readable in the database', async () => {
    const { post } = await open();
    await post({ key: 'secret-key', body: { name: 'secret-name' } });
    const { rows } = await database().pool.query<Record<string, unknown>>(
      `select encode(answer, 'escape') as answer, encode(hash_key, 'escape') as hash_key,
              encode(body_hash, 'escape') as body_hash, encode(value_hash, 'escape') as value_hash, id, user_id from idempotency_keys`,
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('secret');
  });

  it('takes expired rows along', async () => {
    await database().pool.query(
      `insert into idempotency_keys
       values ('old', 'u', '', '', gen_random_uuid(), now(), null, now() - interval '1 minute')`,
    );
    const { post } = await open();
    await post({ key: 'k' });
    await eventually(async () => {
      const old = `select from idempotency_keys where id = 'old'`;
      expect((await database().pool.query(old)).rowCount).toBe(0);
    });
  });

  it.each(['', 'with space', 'x'.repeat(256)])('is refused with a bad key: %#', async (key) => {
    const { post, executed } = await open();
    expect(await post({ key })).toMatchObject({
      status: 400,
      body: { code: 'invalid_idempotency_key' },
    });
    expect(executed()).toBe(0);
  });
});

it('a POST without an Idempotency-Key is executed every time', async () => {
  const { post, executed } = await open();
  await post({});
  await post({});
  expect(executed()).toBe(2);
});

interface Post {
  readonly key?: string;
  readonly user?: string;
  readonly path?: string;
  readonly body?: object;
  /** JSON as it is sent; absent: that of `body`. */
  readonly text?: string;
  readonly signal?: AbortSignal;
}

async function open() {
  let executed = 0;
  const gate = gateway();
  const router = Router();
  router.post(['/things', '/things/:id/parts'], async ({ body }, res) => {
    executed += 1;
    const n = executed;
    await gate.passed();
    const { fail, ...rest } = body as { fail?: 'invalid' };
    if (fail)
      throw new AppError({ kind: fail, code: 'thing_failed' }, 'No.', { cause: new Error('why') });
    res
      .status(201)
      .location(`/things/${n}`)
      .json({ n, ...rest });
  });

  const { get } = await openApp([
    {
      through: [
        (req, res, next) => {
          const userId = String(req.headers['x-test-user']);
          setCaller(res, { kind: 'user', userId, via: 'jwt', scopes: [] });
          next();
        },
        jsonBody,
        idempotency({ pool: database().pool, sealing, log: readableLog().log }),
      ],
      router,
    },
  ]);
  closeLater(async () => gate.open());

  const post = async ({ key, user = 'anna', path = '/things', signal, ...rest }: Post) => {
    const { body = {}, text = JSON.stringify(body) } = rest;
    const answer = await get(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-test-user': user,
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: text,
      ...(signal && { signal }),
    });
    const location = answer.headers.get('location');
    const replayed = answer.headers.get('idempotent-replayed');
    return {
      status: answer.status,
      body: (await answer.json()) as unknown,
      ...(location !== null && { location }),
      ...(replayed !== null && { replayed }),
    };
  };
  return { post, gate, executed: () => executed };
}

/** Handlers wait in front of it while it is closed. */
function gateway() {
  let opened = deferred<void>();
  opened.resolve();
  return {
    close: () => {
      opened = deferred();
    },
    open: () => opened.resolve(),
    passed: () => opened.promise,
  };
}

const ring = keyRing(`k1:${Buffer.alloc(32, 1).toString('base64url')}`);

const sealing: Sealing = {
  seal: (plaintext, aad) => sealWithRing(ring, plaintext, aad),
  open: (sealed, aad) => openWithRing(ring, sealed, aad),
};
