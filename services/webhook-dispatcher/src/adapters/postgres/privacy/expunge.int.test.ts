import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { inTransaction } from '@junction/eventsourcing-postgres';
import { eventually, useDatabase } from '@junction/testing';
import { endedDeliveries, waitingForLocks } from '../../../../test/ended-deliveries.js';
import { dispatcherSchema, onPostgres } from '../../../../test/on-postgres.js';
import { toStoredId } from '../stored-id.js';
import { expungePayload } from './expunge.js';

const database = useDatabase(dispatcherSchema);

beforeAll(() => onPostgres(database()).prepare());

describe('a payload that is removed', () => {
  it('is gone from the delivery and from those that repeat it; what happened stays', async () => {
    const { webhook, ids, log, again, endAll } = await endedDeliveries(database(), 'exhausted', 1);
    const [first = ''] = ids;
    const second = (await again(webhook.webhookId, first)) ?? '';
    const expunge = expungePayload(database().pool);
    await expect(expunge(webhook.webhookId, second)).rejects.toMatchObject({
      code: 'delivery_under_way',
    });
    await endAll('succeeded');
    expect(await expunge(webhook.webhookId, second)).toBe(true);
    for (const id of [first, second]) {
      expect(await log(id)).toMatchObject({ body: undefined, expungedAt: expect.any(Date) });
    }
    expect(await expunge(webhook.webhookId, second)).toBe(true);
    expect(await expunge(newId('wh'), second)).toBe(false);
  });

  it('is removed though that met others who had to go on', async () => {
    const { webhook, ids, log } = await endedDeliveries(database(), 'exhausted', 1);
    const [id = ''] = ids;
    const { pool } = database();
    const stored = [toStoredId(id)];
    await pool.query(
      `insert into attempts (day, delivery_id, n, at, result, total_ms)
       select day, delivery_id, 1, now(), 'http_500', 4 from deliveries where delivery_id = $1`,
      stored,
    );
    const { expunging } = await inTransaction(pool, async (other) => {
      // The one that looks first whether there is a deadlock gives way.
      await other.query(`set local deadlock_timeout = '1min'`);
      await other.query('select from attempts where delivery_id = $1 for update', stored);
      const removing = expungePayload(pool)(webhook.webhookId, id);
      removing.catch(() => undefined);
      await eventually(async () => expect(await waitingForLocks(database())).toBe(1));
      await other.query('update deliveries set kind = kind where delivery_id = $1', stored);
      return { expunging: removing };
    });
    await expect(expunging).resolves.toBe(true);
    expect(await log(id)).toMatchObject({ body: undefined, expungedAt: expect.any(Date) });
  });
});
