import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { rebuildProjection } from '@junction/eventsourcing-postgres';
import { readModelsOn } from '@junction/platform/testing';
import { newGrant, useAdapters } from '../../../test/on-postgres.js';
import { service } from '../../service.js';

const adapters = useAdapters();
const at = new Date();

describe('the read models', () => {
  it('become the same again from the events, also after users were deleted', async () => {
    const { pool, vault, connect, disconnect, deleteUsers } = adapters();
    const users = [randomUUID(), randomUUID(), randomUUID()];
    for (const userId of users) {
      await connect({ userId, provider: 'mailbox', grant: newGrant(), separateGrants: true });
    }
    const [gone = '', ended = ''] = users;
    await disconnect(ended, 'mailbox');
    await deleteUsers([{ userId: gone, at }]);

    const models = readModelsOn(service.streams, pool, vault);
    const rows = async () => (await pool.query('select * from connections order by status')).rows;
    const before = await rows();
    expect(before.map(({ status }) => status)).toEqual(['active', 'disconnected']);
    for await (const _ of rebuildProjection(models, 'connections')) continue;
    expect(await rows()).toEqual(before);
  });
});
