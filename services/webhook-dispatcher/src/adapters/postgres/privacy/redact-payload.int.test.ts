import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { inTransaction } from '@junction/eventsourcing-postgres';
import { eventually, useDatabase } from '@junction/testing';
import { endedDeliveries, waitingForLocks } from '../../../../test/ended-deliveries.js';
import { dispatcherSchema, onPostgres } from '../../../../test/on-postgres.js';
import { toStoredId } from '../stored-id.js';
import { redactPayload } from './redact-payload.js';

const database = useDatabase(dispatcherSchema);

beforeAll(() => onPostgres(database()).prepare());

describe('a payload that is redacted', () => {
  it('is gone from the delivery and from those that repeat it; what happened stays', async () => {
    const { webhook, ids, log, again, endAll } = await endedDeliveries(database(), 'exhausted', 1);
    const [first = ''] = ids;
    const second = (await again(webhook.webhookId, first)) ?? '';
    const redact = redactPayload(database().pool);
    await expect(redact(webhook.webhookId, second)).rejects.toMatchObject({
      code: 'delivery_under_way',
    });
    await endAll('succeeded');
    expect(await redact(webhook.webhookId, second)).toBe(true);
    for (const id of [first, second]) {
      expect(await log(id)).toMatchObject({ body: undefined, redactedAt: expect.any(Date) });
    }
    expect(await redact(webhook.webhookId, second)).toBe(true);
    expect(await redact(newId('wh'), second)).toBe(false);
  });

  it('is redacted though its transaction met another that went on first', async () => {
    const { webhook, ids, log } = await endedDeliveries(database(), 'exhausted', 1);
    const [id = ''] = ids;
    const { pool } = database();
    const stored = [toStoredId(id)];
    await pool.query(
      `insert into attempts (day, delivery_id, n, at, result, total_ms)
       select day, delivery_id, 1, now(), 'http_500', 4 from deliveries where delivery_id = $1`,
      stored,
    );
    const { redacting } = await inTransaction(pool, async (other) => {
      // The one that looks first whether there is a deadlock gives way.
      await other.query(`set local deadlock_timeout = '1min'`);
      await other.query('select from attempts where delivery_id = $1 for update', stored);
      const work = redactPayload(pool)(webhook.webhookId, id);
      work.catch(() => undefined);
      await eventually(async () => expect(await waitingForLocks(database())).toBe(1));
      await other.query('update deliveries set kind = kind where delivery_id = $1', stored);
      return { redacting: work };
    });
    await expect(redacting).resolves.toBe(true);
    expect(await log(id)).toMatchObject({ body: undefined, redactedAt: expect.any(Date) });
  });
});
