import { describe, expect, it } from '@jest/globals';
import { rebuildProjection } from '@junction/eventsourcing-postgres';
import { useDatabase } from '@junction/testing';
import { dispatcherSchema, onPostgres } from '../../test/on-postgres.js';
import { service } from '../service.js';

const database = useDatabase(dispatcherSchema);

describe('the read models', () => {
  it('become the same again from the events, also after users were deleted', async () => {
    const { pool } = database();
    const { newWebhook, handle, deleteUser, vault } = onPostgres(database());
    const gone = await newWebhook();
    const { webhookId } = await newWebhook();
    await newWebhook();
    const at = new Date().toISOString();
    await handle(webhookId, { type: 'DisableWebhook', data: { reason: 'gone_410', at } });
    await deleteUser(gone.userId);

    const { codec, inline } = service.streams;
    const models = { pool, codec: codec(vault), inline };
    const seen = [];
    for await (const one of rebuildProjection(models, 'webhooks')) {
      seen.push(one);
    }
    expect(seen.at(-1)?.eventsDone).toBe(5);
    expect(seen.at(-1)?.changes).toEqual({ added: 0, changed: 0, removed: 0 });
    const { rows } = await pool.query('select secret_version from webhooks');
    expect(rows).toHaveLength(2);
  });
});
