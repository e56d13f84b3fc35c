import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { rowsRead, useDatabase } from '@junction/testing';
import { eventOf, onPostgres } from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import type { Job } from '../../../application/job.js';
import type { DueQuery } from '../../../application/sending/due-work.js';
import { SHARDS, shardOf } from '../../../domain/shard.js';
import { toStoredId } from '../stored-id.js';
import { dueInTurns, dueOf, dueWork } from './due-work.js';
import { orderedWork } from './ordered-work.js';

const database = useDatabase(dispatcherSchema);
const ALL_SHARDS = Array.from({ length: SHARDS }, (_, shard) => shard);

beforeAll(async () => void (await onPostgres(database()).prepare()));
beforeEach(async () => {
  await database().pool.query('truncate pending');
  await onPostgres(database()).holdAll('me');
});

describe('reading due deliveries', () => {
  it('brings the oldest first, without deliveries that are in hand, blocked or not ours', async () => {
    const jobs = await waiting(await newWebhook(), 3);
    const [job] = jobs;
    expect(idsOf(await read())).toEqual(idsOf({ jobs }));
    expect((await read({ exceptDeliveries: idsOf({ jobs: [job] }) })).jobs).toHaveLength(2);
    expect((await read({ exceptWebhooks: [job.webhookId] })).jobs).toEqual([]);
    expect((await read({ shards: [(job.shard + 1) % SHARDS] })).jobs).toEqual([]);
    expect((await read({ limit: 1 })).jobs).toHaveLength(1);
  });

  it('brings the first of every webhook before the second of any', async () => {
    const busy = await waiting(await newWebhook(), 5);
    const [other] = await waiting(await newWebhook(), 1);
    const { jobs } = await read({ limit: 2 });
    expect(idsOf({ jobs })).toEqual(idsOf({ jobs: [busy[0], other] }));
  });

  it('says when the next delivery is due, and whether shards are free', async () => {
    const { pool } = database();
    expect(await read()).toMatchObject({ jobs: [], soonestMs: undefined, freeShards: false });
    await waiting(await newWebhook(), 2);
    await pool.query(`update pending set next_at = now() + interval '1 minute'`);
    const { soonestMs, jobs } = await read();
    expect(jobs).toEqual([]);
    expect(soonestMs).toBeGreaterThan(1_000);
    expect(soonestMs).toBeLessThanOrEqual(60_000);
    await pool.query('update shard_leases set owner = null where shard = 1');
    expect((await read()).freeShards).toBe(true);
  });

  it('puts off a delivery that does not open, so that it is not in the way of the rest', async () => {
    const webhook = await newWebhook();
    await waiting(webhook, 1);
    await onPostgres(database()).vault.shred(webhook.userId);
    expect((await read()).jobs).toEqual([]);
    const { rows } = await database().pool.query(
      `select next_at > now() + interval '1 minute' as later from pending`,
    );
    expect(rows).toEqual([{ later: true }]);
  });

  it('looks at no other deliveries of the day', async () => {
    const { pool } = database();
    const { openSealed } = onPostgres(database());
    const webhook = await newWebhook();
    const [{ day }] = await waiting(webhook, 20);
    const table = `deliveries_${day.replaceAll('-', '')}`;
    // Statistics that found nothing, though there are pages.
    await pool.query(`delete from ${table}; analyze ${table}`);
    await pool.query('truncate pending');
    for (let n = 0; n < 5; n++) await waiting(webhook, 1_000);
    await pool.query(
      'delete from pending where delivery_id not in (select delivery_id from pending limit 20)',
    );
    const deliveries = await inTransaction(pool, async (tx) =>
      rowsRead(tx, table, async () => {
        expect((await dueWork(tx, openSealed)(query)).jobs).toHaveLength(20);
      }),
    );
    expect(deliveries).toBeGreaterThanOrEqual(20);
    expect(deliveries).toBeLessThanOrEqual(100);
  });
});

describe('a backlog', () => {
  it('is read webhook by webhook, so that one that waits is not behind all of another', async () => {
    const flood = await waiting(await newWebhook(), 120);
    const shard = flood[0].shard;
    const [other] = await waiting(await newWebhook(userIn(shard)), 1);
    expect(await read()).toMatchObject({ isBacklogged: true, jobs: [] });

    // The database chooses the first of the flood, since all of them became due at one moment.
    const { jobs, goOnAfter } = await inTurns({ limit: 40 });
    const firstTwo = jobs.slice(0, 2).map((job) => job.webhookId);
    expect(firstTwo.toSorted()).toEqual([flood[0].webhookId, other.webhookId].toSorted());
    expect(jobs).toHaveLength(33);
    expect(goOnAfter).toBeUndefined();
  });

  it('leaves out deliveries that are in hand, blocked, not ours or not due', async () => {
    const [one, other] = [await newWebhook(), await newWebhook()];
    const [first] = await waiting(one, 2);
    await waiting(other, 1);
    const ids = { exceptDeliveries: idsOf({ jobs: [first] }), exceptWebhooks: [other.webhookId] };
    expect((await inTurns(ids)).jobs).toHaveLength(1);
    expect((await inTurns({ shards: [] })).jobs).toEqual([]);
    await database().pool.query(`update pending set next_at = now() + interval '1 minute'`);
    expect((await inTurns({})).jobs).toEqual([]);
  });

  it('is passed in steps, and begun again at its end', async () => {
    const { pool } = database();
    const [last] = await waiting(await newWebhook(), 1);
    await pool.query(
      `insert into pending (delivery_id, day, webhook_id, user_id, shard, attempt, status, next_at)
       select gen_random_uuid(), current_date, ('00000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid,
              gen_random_uuid(), $1, 1, 'pending', now() from generate_series(1, 600) n`,
      [last.shard],
    );
    const first = await inTurns({});
    expect(first.jobs).toEqual([]);
    expect(first.goOnAfter).toBe('wh_00000000-0000-0000-0000-000000000500');
    const second = await inTurns({}, first.goOnAfter);
    expect(idsOf(second)).toEqual([last.deliveryId]);
    expect(second.goOnAfter).toBeUndefined();
  });
});

describe('reading due deliveries of some webhooks', () => {
  it('brings a few of each webhook, a first of each before any second, and none of others', async () => {
    const flood = await waiting(await newWebhook(), 40);
    const few = await waiting(await newWebhook(), 2);
    await waiting(await newWebhook(), 3);
    const { jobs, all } = await readOf([flood[0], few[0]]);
    expect(jobs).toHaveLength(32 + 2);
    expect(idsOf({ jobs })).toEqual(expect.arrayContaining(idsOf({ jobs: few })));
    const firstTwo = jobs.slice(0, 2).map((job) => job.webhookId);
    expect(firstTwo.toSorted()).toEqual([flood[0].webhookId, few[0].webhookId].toSorted());
    expect(all).toEqual([few[0].webhookId]);
  });

  it('leaves out deliveries that are in hand or not due, and names the webhooks without more', async () => {
    const [one, other] = [
      await waiting(await newWebhook(), 2),
      await waiting(await newWebhook(), 1),
    ];
    const exceptDeliveries = idsOf({ jobs: [one[0]] });
    const ids = [one[0].webhookId, other[0].webhookId];
    const read = await readOf([one[0], other[0]], { exceptDeliveries });
    expect(idsOf(read).toSorted()).toEqual(idsOf({ jobs: [one[1], other[0]] }).toSorted());
    expect(read.all).toEqual(ids);
    expect((await readOf([one[0], other[0]], { limit: 3 })).all).toEqual([]);
    await database().pool.query(`update pending set next_at = now() + interval '1 minute'`);
    expect(await readOf([one[0], other[0]])).toEqual({ jobs: [], all: ids });
  });

  it('uses an index, however many deliveries others have', async () => {
    const { pool } = database();
    const { openSealed } = onPostgres(database());
    await waiting(await newWebhook(), 1_000);
    const [job] = await waiting(await newWebhook(), 1);
    await pool.query('analyze pending');
    const rows = await inTransaction(pool, async (tx) =>
      rowsRead(tx, 'pending', async () => {
        const { jobs } = await dueOf(tx, openSealed)({ ...query, webhookIds: [job.webhookId] });
        expect(idsOf({ jobs })).toEqual([job.deliveryId]);
      }),
    );
    expect(rows).toBeLessThanOrEqual(10);
  });
});

describe('reading deliveries of ordered webhooks', () => {
  it('brings those of each webhook from its oldest on, up to the first that is not due', async () => {
    const [one, other] = [await newWebhook(), await newWebhook()];
    expect((await readOrdered([one.webhookId])).size).toBe(0);
    const jobs = await waiting(one, 4);
    const [only] = await waiting(other, 1);
    const work = await readOrdered([one.webhookId, other.webhookId]);
    expect(idsOf(work.get(one.webhookId) ?? { jobs: [] })).toEqual(idsOf({ jobs }));
    const { deliveryId, body } = only;
    expect(work.get(other.webhookId)?.jobs).toMatchObject([{ deliveryId, body }]);

    await putOff(jobs[2]);
    const read = (await readOrdered([one.webhookId])).get(one.webhookId);
    expect(idsOf(read ?? { jobs: [] })).toEqual(idsOf({ jobs: jobs.slice(0, 2) }));
    await putOff(jobs[0]);
    const head = (await readOrdered([one.webhookId])).get(one.webhookId);
    expect(head?.jobs).toEqual([]);
    expect(head?.waitMs).toBeGreaterThan(0);
  });
});

const query: DueQuery = {
  shards: ALL_SHARDS,
  exceptWebhooks: [],
  exceptDeliveries: [],
  limit: 100,
};

const read = (parts: Partial<DueQuery> = {}) =>
  dueWork(database().pool, onPostgres(database()).openSealed)({ ...query, ...parts });

const inTurns = (parts: Partial<DueQuery>, after?: string) =>
  dueInTurns(database().pool, onPostgres(database()).openSealed)({ ...query, ...parts }, after);

const readOf = (jobs: readonly Job[], parts: Partial<DueQuery> = {}) => {
  const webhookIds = jobs.map((job) => job.webhookId);
  const { openSealed } = onPostgres(database());
  return dueOf(database().pool, openSealed)({ ...query, ...parts, webhookIds });
};

const readOrdered = (webhookIds: readonly string[]) =>
  orderedWork(database().pool, onPostgres(database()).openSealed)(webhookIds);

const putOff = async (job: Job | undefined) =>
  database().pool.query(
    `update pending set next_at = now() + interval '1 hour' where delivery_id = $1`,
    [toStoredId(job?.deliveryId ?? '')],
  );

const newWebhook = (userId?: string) => onPostgres(database()).newWebhook(userId);

async function waiting({ userId }: { userId: string }, events: number) {
  const { takeIn } = onPostgres(database());
  const jobs = await takeIn(Array.from({ length: events }, () => eventOf(userId)));
  expect(jobs).toHaveLength(events);
  return jobs as readonly [Job, ...Job[]];
}

const idsOf = ({ jobs }: { readonly jobs: readonly (Job | undefined)[] }) =>
  jobs.map((job) => String(job?.deliveryId));

function userIn(shard: number): string {
  for (;;) {
    const userId = randomUUID();
    if (shardOf(userId) === shard) return userId;
  }
}
