import { expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing-postgres';
import { rowsRead, useDatabase } from '@junction/testing';
import { messagingDatabase } from '../../test/messaging-database.js';
import { readOutbox } from './outbox-rows.js';

const database = useDatabase(messagingDatabase);

it('the oldest rows of a lane are read without a look at those of others', async () => {
  const { pool } = database();
  await pool.query(`
    insert into outbox (aggregatetype, aggregateid, type, headers, payload)
    select 'topic', 'key-' || n, 'type', '{}', repeat('x', 200)::bytea from generate_series(1, 50000) n`);
  await pool.query('analyze outbox');
  const read = await inTransaction(pool, async (tx) =>
    rowsRead(tx, 'outbox', async () => {
      const rows = await readOutbox(tx, [3, 7]);
      expect(new Set(rows.map(({ lane }) => lane))).toEqual(new Set([3, 7]));
      expect(rows).toHaveLength(1_000);
    }),
  );
  expect(read).toBeGreaterThanOrEqual(1_000);
  // One more of each lane shows that the limit was met.
  expect(read).toBeLessThanOrEqual(1_002);
});
