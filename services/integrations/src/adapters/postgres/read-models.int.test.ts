import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  inTransaction,
  postgresNotifier,
  rebuildProjection,
} from '@junction/eventsourcing-postgres';
import { newGrant, useAdapters } from '../../../test/on-postgres.js';
import { readModels } from './read-models.js';

const adapters = useAdapters();
const at = new Date();

describe('the read models', () => {
  it('become the same again from the events, also after users were erased', async () => {
    const { pool, vault, connections, forget } = adapters();
    const users = [randomUUID(), randomUUID(), randomUUID()];
    for (const userId of users) {
      await connections.connect(userId, 'mailbox', newGrant(), { separateGrants: true, at });
    }
    const [gone = '', ended = ''] = users;
    await connections.disconnect(ended, 'mailbox', at);
    await inTransaction(pool, (tx) => forget(tx, [{ userId: gone, at }]));

    const notifier = postgresNotifier({ pool, onError: () => undefined });
    try {
      const seen = [];
      for await (const one of rebuildProjection(
        readModels({ pool, vault, notifier }),
        'connections',
      )) {
        seen.push(one);
      }
      expect(seen.at(-1)).toMatchObject({
        phase: 'done',
        changes: { added: 0, changed: 0, removed: 0 },
      });
      const { rows } = await pool.query<{ status: string }>('select status from connections');
      expect(rows.map(({ status }) => status).sort()).toEqual(['active', 'disconnected']);
    } finally {
      await notifier.close();
    }
  });
});
