import { describe, expect, it } from '@jest/globals';
import { inTransaction, type Queryable } from '@junction/eventsourcing/postgres';
import { rowsRead } from '@junction/testing';
import { newGrant, newUser, useAdapters } from '../../../../test/on-postgres.js';
import { currentConnections } from './current-connections.js';

const adapters = useAdapters();

describe('questions that come together', () => {
  it('are looked up by key, in one statement, whatever the statistics say of the tables', async () => {
    const { pool } = adapters();
    await pool.query('analyze connections, credentials, data_keys'); // of nothing
    const asked: { readonly id: string; readonly token: string }[] = [];
    for (let n = 0; n < 30; n++) {
      const [user, grant] = [newUser(adapters), newGrant()];
      await user.connect(grant);
      asked.push({ id: user.id, token: grant.accessToken });
    }
    await pool.query(CROWD);

    let statements = 0;
    const read = await inTransaction(pool, async (tx) => {
      const counting: Queryable = {
        async query(statement) {
          statements++;
          return tx.query(statement);
        },
      };
      const { find } = currentConnections(counting, adapters().vault);
      return rowsRead(tx, 'connections', async () => {
        const found = await Promise.all(asked.map(({ id }) => find(id, 'mailbox')));
        const tokens = found.map((one) => one?.credential?.open());
        expect(tokens).toEqual(asked.map(({ token }) => token));
      });
    });
    expect(statements).toBe(1);
    expect(read).toBe(asked.length);
  });
});

/** Three thousand more, each like the first one. */
const CROWD = `
insert into connections
select (jsonb_populate_record(c, jsonb_build_object(
          'connection_id', 'con_' || n, 'user_id', gen_random_uuid()))).*
  from connections c cross join generate_series(1, 3000) n
 where connection_id = (select min(connection_id) from connections)`;
