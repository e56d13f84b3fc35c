import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { eventOf, onPostgres } from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import type { OptionsChange } from '../../../domain/webhook/options.js';
import { one } from '../../one.js';
import { toStoredId } from '../stored-id.js';
import { deliveryBacklog, webhooksByStatus } from './backlog-reads.js';

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());
beforeEach(async () => {
  await sql('truncate pending, failing_webhooks, webhooks cascade');
});

it('an empty backlog counts nothing', async () => {
  expect(await read()).toEqual({
    pending: 0,
    retrying: 0,
    due: 0,
    oldest_due_s: 0,
    open_circuits: 0,
    half_open_circuits: 0,
    failing_webhooks: 0,
  });
});

it('deliveries that wait for the dispatcher alone are due, and the oldest gives their age', async () => {
  await waiting(2, 40);
  await waiting(1, 10);
  await waiting(1, -60);
  expect(await read()).toMatchObject({ pending: 4, due: 3, oldest_due_s: expect.closeTo(40, -1) });
});

it('deliveries of a paused, rate-limited, failing or resting webhook are pending, and not due', async () => {
  const paused = await waiting(1, 300);
  await sql(`update webhooks set status = 'paused' where webhook_id = $1`, toStoredId(paused));
  await waiting(1, 300, { rateLimit: 1 });
  const failing = await waiting(1, 300);
  await sql(
    `insert into failing_webhooks select $1::uuid, now(), now(), 'http_500'`,
    toStoredId(failing),
  );
  for (const probe of ['1 minute', '-1 minute']) {
    const resting = await waiting(1, 300);
    await sql(
      `insert into circuits select $1::uuid, now(), now() + interval '${probe}', 60000`,
      toStoredId(resting),
    );
  }
  expect(await read()).toEqual({
    pending: 5,
    retrying: 0,
    due: 0,
    oldest_due_s: 0,
    open_circuits: 1,
    half_open_circuits: 1,
    failing_webhooks: 1,
  });
  expect(Object.fromEntries(await webhooksByStatus(database().pool))).toEqual({
    active: 4,
    paused: 1,
  });
});

it('a retry is counted apart from deliveries that were never attempted', async () => {
  await waiting(3, 0);
  await sql(
    `update pending set status = 'retrying' where delivery_id = (select min(delivery_id::text) from pending)::uuid`,
  );
  expect(await read()).toMatchObject({ pending: 2, retrying: 1 });
});

const read = async () => one(await deliveryBacklog.rows(database().pool, {}));
const sql = (text: string, ...values: unknown[]) => database().pool.query(text, values);

/** So many deliveries of a new webhook, due for so many seconds. */
async function waiting(count: number, dueForS: number, options: OptionsChange = {}) {
  const { newWebhook, takeIn } = onPostgres(database());
  const { userId, webhookId } = await newWebhook(randomUUID(), undefined, options);
  await takeIn(Array.from({ length: count }, () => eventOf(userId)));
  await sql(
    `update pending set next_at = now() - $2 * interval '1 second' where webhook_id = $1::uuid`,
    toStoredId(webhookId),
    dueForS,
  );
  return webhookId;
}
