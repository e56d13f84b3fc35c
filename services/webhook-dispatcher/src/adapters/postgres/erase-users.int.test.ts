import { beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing-postgres';
import { useDatabase } from '@junction/testing';
import { dispatcherSchema, eventOf, onPostgres } from '../../../test/on-postgres.js';
import { eraseUsers, requestErasure } from './erase-users.js';
import { removeUser } from './remove-user.js';

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

describe('a user who was deleted', () => {
  it('leaves no webhook that was configured, and no event that came, in that very moment', async () => {
    const { pool } = database();
    const { newWebhook, takeIn, store, vault } = onPostgres(database());
    const { userId } = await newWebhook();
    expect(await takeIn([eventOf(userId)])).toHaveLength(1);
    // The deletion has happened, and saw neither.
    await inTransaction(pool, (tx) => requestErasure(tx, userId));

    const remove = removeUser(store, vault);
    await eraseUsers(pool, (id) => inTransaction(pool, (tx) => remove(tx, id, new Date())));
    for (const table of ['webhooks', 'pending', 'deliveries', 'seen_events']) {
      const { rowCount } = await pool.query(`select from ${table} where user_id = $1`, [userId]);
      expect([table, rowCount]).toEqual([table, 0]);
    }
  });
});
