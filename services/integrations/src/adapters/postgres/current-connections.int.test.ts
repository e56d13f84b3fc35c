import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing-postgres';
import { rowsRead } from '@junction/testing';
import { newGrant, useAdapters } from '../../../test/on-postgres.js';
import { currentConnections } from './current-connections.js';

const adapters = useAdapters();

describe('questions that come together', () => {
  it('are looked up by key, in one statement, whatever the statistics say of the tables', async () => {
    const { pool } = adapters();
    await pool.query('analyze connections, credentials, data_keys'); // of nothing
    const asked = await connected(30);
    await pool.query(CROWD);

    let statements = 0;
    const read = await inTransaction(pool, async (tx) => {
      const query = ((...args: Parameters<typeof tx.query>) => {
        statements++;
        return tx.query(...args);
      }) as typeof tx.query;
      const current = currentConnections({ query }, adapters().vault);
      return rowsRead(tx, 'connections', async () => {
        const found = await Promise.all(asked.map(({ id }) => current(id, 'mailbox')));
        const tokens = found.map((one) => one?.credential?.open());
        expect(tokens).toEqual(asked.map(({ token }) => token));
      });
    });
    expect(statements).toBe(1);
    expect(read).toBe(asked.length);
  });

  it('are answered each with its own, also of nobody and of one that was asked for twice', async () => {
    const { connections } = adapters();
    const [ada, bob] = await connected(2);
    const ask = (id: string | undefined) => connections.current(id ?? '', 'mailbox');
    const found = await Promise.all([ada?.id, randomUUID(), bob?.id, ada?.id].map(ask));
    const tokens = found.map((one) => one?.credential?.open());
    expect(tokens).toEqual([ada?.token, undefined, bob?.token, ada?.token]);
    expect(await connections.current(ada?.id ?? '', 'calendar')).toBeUndefined();
  });
});

/** Three thousand more, each like the first one. */
const CROWD = `
insert into connections
select (jsonb_populate_record(c, jsonb_build_object(
          'connection_id', 'con_' || n, 'user_id', gen_random_uuid()))).*
  from connections c cross join generate_series(1, 3000) n
 where connection_id = (select min(connection_id) from connections)`;

/** Users whose mailboxes are connected, with the tokens they got. */
async function connected(count: number) {
  const { connect } = adapters();
  const users = Array.from({ length: count }, () => ({ id: randomUUID(), grant: newGrant() }));
  for (const { id, grant } of users) {
    await connect({ userId: id, provider: 'mailbox', grant, separateGrants: true });
  }
  return users.map(({ id, grant }) => ({ id, token: grant.accessToken }));
}
