import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { revocations } from '@junction/service/callers';
import { rowsRead, useDatabase } from '@junction/testing';
import { eventOf, onPostgres } from '../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../test/schema.js';
import { deletedUserRows } from '../../adapters/postgres/privacy/user-rows.js';
import { toStoredId } from '../../adapters/postgres/stored-id.js';
import { transactionOn } from '../../adapters/postgres/unit-of-work.js';
import { webhookStream } from '../streams.js';
import { deleteUserRows } from './delete-user-rows.js';
import { deleteUsers } from './delete-users.js';

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

describe('users who were deleted', () => {
  it('lose all of their webhooks, which end in one statement', async () => {
    const { pool } = database();
    const { newWebhook, store, tables } = onPostgres(database());
    const [one, other, stays] = [randomUUID(), randomUUID(), randomUUID()];
    const webhooks = [await newWebhook(one), await newWebhook(one), await newWebhook(other)];
    const kept = await newWebhook(stays);
    const users = [
      { userId: one, at: new Date('2030-01-01T00:00:00Z'), isFinal: true },
      { userId: other, at: new Date('2030-01-02T00:00:00Z'), isFinal: true },
    ];

    const statements: string[] = [];
    const deleted = await inTransaction(pool, async (tx) => {
      const { query } = tx;
      tx.query = ((...args: unknown[]) => {
        const [first] = args as [string | { text: string }];
        statements.push(typeof first === 'string' ? first : first.text);
        return Reflect.apply(query, tx, args);
      }) as typeof query;
      const ids = await deleteUsers(transactionOn(tx, tables), users);
      tx.query = query;
      return ids;
    });

    const ended = webhooks.map(({ webhookId }) => webhookId).sort();
    expect(deleted.map(({ webhookId }) => webhookId)).toEqual(ended);
    expect(statements.filter((text) => text.includes('append_events'))).toHaveLength(1);
    for (const { webhookId, userId } of webhooks) {
      const { history } = await store.load(webhookStream(webhookId));
      const { at } = users.find((user) => user.userId === userId) ?? {};
      expect(history.at(-1)).toEqual({
        type: 'webhook.deleted',
        data: expect.objectContaining({ reason: 'user_deleted', at: at?.toISOString() }),
      });
    }
    const { rows } = await pool.query(
      'select webhook_id from webhooks where user_id = any ($1::uuid[])',
      [[one, other, stays]],
    );
    expect(rows).toEqual([{ webhook_id: toStoredId(kept.webhookId) }]);
  });

  it('lose nothing more when their deletion is repeated', async () => {
    const { newWebhook, store, deleteUser } = onPostgres(database());
    const userId = randomUUID();
    const { webhookId } = await newWebhook(userId);
    expect(await deleteUser(userId)).toEqual([{ webhookId, userId }]);
    const { version } = await store.load(webhookStream(webhookId));
    expect(await deleteUser(userId)).toEqual([]);
    expect((await store.load(webhookStream(webhookId))).version).toBe(version);
  });
});

describe('a user whose account is closed', () => {
  it('loses the webhooks and what waits for them, and keeps the rest under the same key', async () => {
    const { pool } = database();
    const { newWebhook, takeIn, deleteUser } = onPostgres(database());
    const { webhookId, userId } = await newWebhook();
    await takeIn([eventOf(userId)]);
    expect(await deleteUser(userId, false)).toEqual([{ webhookId, userId }]);
    const count = async (table: string) =>
      (await pool.query(`select from ${table} where user_id = $1`, [userId])).rowCount;
    expect(await Promise.all(['webhooks', 'pending', 'user_deletions'].map(count))).toEqual([
      0, 0, 0,
    ]);
    expect(await count('deliveries')).toBe(1);
    await expect(newWebhook(userId)).resolves.toMatchObject({ userId });
  });

  it('gets no webhook by a request that was let in before', async () => {
    const { pool } = database();
    const { unitOfWork } = onPostgres(database());
    const userId = randomUUID();
    const list = revocations(pool);
    const counted = async () => unitOfWork.inTransaction((tx) => tx.webhooks.count(userId));
    await list.record(pool, userId, new Date(Date.now() + 60_000));
    await expect(counted()).rejects.toMatchObject({ code: 'unauthenticated' });
    await list.end(pool, userId);
    await expect(counted()).resolves.toBe(0);
  });
});

describe('a user who was deleted', () => {
  it('leaves no webhook that was configured, and no event that came, in that very moment', async () => {
    const { pool } = database();
    const { newWebhook, takeIn } = onPostgres(database());
    const { userId } = await newWebhook();
    expect(await takeIn([eventOf(userId)])).toHaveLength(1);
    await fillTablesOf(userId);
    // The deletion has happened, and saw neither the webhook nor the event.
    await pool.query('insert into user_deletions (user_id) values ($1)', [userId]);

    for (const text of [
      `insert into attempts (day, delivery_id, n, at, result, total_ms)
       select day, delivery_id, 1, now(), 'http_500', 1 from deliveries where user_id = $1`,
      `insert into outcomes (day, delivery_id, webhook_id, status, at)
       select day, delivery_id, webhook_id, 'exhausted', now() from deliveries where user_id = $1`,
    ]) {
      expect((await pool.query(text, [userId])).rowCount).toBe(1);
    }

    await deleteRows();
    for (const table of ['webhooks', 'pending', 'deliveries', 'seen_events', ...FILLED]) {
      const { rowCount } = await pool.query(`select from ${table} where user_id = $1`, [userId]);
      expect([table, rowCount]).toEqual([table, 0]);
    }
    for (const table of ['attempts', 'outcomes']) {
      const { rowCount } = await pool.query(`select from ${table}`);
      expect([table, rowCount]).toEqual([table, 0]);
    }
  });

  it('leaves nothing that waits, and is not looked for among what waits for others', async () => {
    const { pool } = database();
    const { newWebhook, takeIn, tables } = onPostgres(database());
    const [gone, other] = [await newWebhook(), await newWebhook()];
    await takeIn(Array.from({ length: 3 }, () => eventOf(gone.userId)));
    await takeIn(Array.from({ length: MANY }, () => eventOf(other.userId)));
    await pool.query('analyze pending');

    const read = await inTransaction(pool, (tx) =>
      rowsRead(tx, 'pending', () =>
        deleteUsers(transactionOn(tx, tables), [
          { userId: gone.userId, at: new Date(), isFinal: true },
        ]),
      ),
    );
    expect(read).toBeLessThan(MANY / 2);
    expect(await waitingFor(gone.userId)).toBe(0);
    expect(await waitingFor(other.userId)).toBe(MANY);
  });

  it('leaves nothing that waits of an event that was filed after their webhooks had gone', async () => {
    const { pool } = database();
    const { newWebhook, takeIn, deleteUser } = onPostgres(database());
    const { userId } = await newWebhook();
    await takeIn([eventOf(userId)]);
    const { rows } = await pool.query('select * from pending where user_id = $1', [userId]);
    await deleteUser(userId);
    await pool.query('insert into pending select * from json_populate_record(null::pending, $1)', [
      JSON.stringify(rows[0]),
    ]);
    await deleteRows();
    expect(await waitingFor(userId)).toBe(0);
  });
});

const MANY = 2_000;

function deleteRows(): Promise<void> {
  const { unitOfWork } = onPostgres(database());
  return deleteUserRows({
    unitOfWork,
    quietWork: unitOfWork,
    deletedUserRows: deletedUserRows(database().pool),
    webhooksDeleted: () => undefined,
    now: () => new Date(),
  })();
}

async function waitingFor(userId: string): Promise<number | null> {
  const { rowCount } = await database().pool.query('select from pending where user_id = $1', [
    userId,
  ]);
  return rowCount;
}

const FILLED = [
  'redeliveries',
  'operations',
  'webhook_hours',
  'live_listeners',
  'live_tail',
  'redactions',
  'payloads_to_redact',
  'sending_pauses',
];

/** Inserts a row of the user into each table that is searched by its user alone. */
async function fillTablesOf(userId: string): Promise<void> {
  const { pool } = database();
  for (const text of [
    `insert into redeliveries (original_id, delivery_id, day, user_id) values ($1, $1, now(), $1)`,
    `insert into operations (operation_id, user_id, webhook_id, status, from_at, to_at, outcomes,
                             counted, count_is_exact, begin_after)
     values ($1, $1, $1, 'running', now(), now(), '{held}', 1, true, pg_current_xact_id())`,
    `insert into webhook_hours (webhook_id, hour, user_id, succeeded, failed, latency)
     values ($1, now(), $1, 1, 0, '{1}')`,
    `insert into live_listeners (user_id, until) values ($1, now() + interval '1 minute')`,
    `insert into live_tail (user_id, webhook_id, type, data) values ($1, $1, 'a', '{}')`,
    `insert into redactions (user_id, requested_at, begin_after) values ($1, now(), pg_current_xact_id())`,
    `insert into payloads_to_redact (user_id, day, delivery_id) values ($1, now(), $1)`,
    `insert into sending_pauses (user_id) values ($1)`,
  ]) {
    expect((await pool.query(text, [userId])).rowCount).toBe(1);
  }
}
