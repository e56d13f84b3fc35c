import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { dispatcherSchema, eventOf, onPostgres } from '../../../../test/on-postgres.js';
import { toStoredId } from '../stored-id.js';
import { orderedWork } from './ordered-work.js';

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

describe('what waits for an ordered webhook', () => {
  it('is read from its oldest on, up to the first that is not due', async () => {
    const { userId, webhookId, takeIn, read } = await webhook();
    expect((await read([webhookId])).size).toBe(0);
    const jobs = await takeIn(Array.from({ length: 4 }, () => eventOf(userId)));
    const ids = jobs.map(({ deliveryId }) => deliveryId);
    expect(idsOf(await read([webhookId]), webhookId)).toEqual(ids);

    await putOff(ids[2]);
    expect(idsOf(await read([webhookId]), webhookId)).toEqual(ids.slice(0, 2));
    await putOff(ids[0]);
    const head = (await read([webhookId])).get(webhookId);
    expect(head?.jobs).toEqual([]);
    expect(head?.waitMs).toBeGreaterThan(0);
  });

  it('is read of each webhook by itself', async () => {
    const one = await webhook();
    const two = await webhook();
    const [first] = await one.takeIn([eventOf(one.userId)]);
    const [second] = await two.takeIn([eventOf(two.userId)]);
    const work = await one.read([one.webhookId, two.webhookId]);
    expect(idsOf(work, one.webhookId)).toEqual([first?.deliveryId]);
    expect(idsOf(work, two.webhookId)).toEqual([second?.deliveryId]);
    expect(first?.body.equals(work.get(one.webhookId)?.jobs[0]?.body ?? Buffer.of())).toBe(true);
  });
});

async function webhook() {
  const service = onPostgres(database());
  const made = await service.newWebhook(undefined, undefined, { ordered: true });
  return { ...service, ...made, read: orderedWork(database().pool, service.openSealed) };
}

async function putOff(deliveryId: string | undefined) {
  await database().pool.query(
    `update pending set next_at = now() + interval '1 hour' where delivery_id = $1`,
    [toStoredId(deliveryId ?? '')],
  );
}

const idsOf = (work: Awaited<ReturnType<ReturnType<typeof orderedWork>>>, webhookId: string) =>
  work.get(webhookId)?.jobs.map(({ deliveryId }) => deliveryId);
