import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing-postgres';
import { useDatabase } from '@junction/testing';
import { dispatcherSchema, onPostgres } from '../../test/on-postgres.js';
import { transactionOn } from '../adapters/postgres/unit-of-work.js';
import { deleteUsers } from './delete-users.js';
import { webhookStream } from './streams.js';

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
      { userId: one, at: new Date('2030-01-01T00:00:00Z') },
      { userId: other, at: new Date('2030-01-02T00:00:00Z') },
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
    expect(deleted).toEqual(ended);
    expect(statements.filter((text) => text.includes('append_events'))).toHaveLength(1);
    for (const { webhookId, userId } of webhooks) {
      const { history } = await store.load(webhookStream(webhookId));
      const { at } = users.find((user) => user.userId === userId) ?? {};
      expect(history.at(-1)).toEqual({
        type: 'webhook.deleted',
        data: expect.objectContaining({ reason: 'user_deleted', at: at?.toISOString() }),
      });
    }
    const { rows } = await pool.query('select webhook_id from webhooks');
    expect(rows).toEqual([{ webhook_id: kept.webhookId }]);
  });

  it('lose nothing more when their deletion is told again', async () => {
    const { newWebhook, store, deleteUser } = onPostgres(database());
    const userId = randomUUID();
    const { webhookId } = await newWebhook(userId);
    expect(await deleteUser(userId)).toEqual([webhookId]);
    const { version } = await store.load(webhookStream(webhookId));
    expect(await deleteUser(userId)).toEqual([]);
    expect((await store.load(webhookStream(webhookId))).version).toBe(version);
  });
});
