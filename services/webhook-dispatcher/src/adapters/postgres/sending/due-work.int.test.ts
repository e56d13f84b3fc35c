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
import { dueWork, lookAgain } from './due-work.js';
import { orderedWork } from './ordered-work.js';

const database = useDatabase(dispatcherSchema);
const ALL_SHARDS = Array.from({ length: SHARDS }, (_, shard) => shard);

beforeAll(async () => void (await onPostgres(database()).prepare()));
beforeEach(async () => {
  await database().pool.query('truncate pending, webhook_due');
  await onPostgres(database()).holdAll('me');
});

describe('reading due deliveries', () => {
  it('brings the oldest first, without deliveries that are in hand, blocked or not ours', async () => {
    const jobs = await waiting(await newWebhook(), 3);
    const [job] = jobs;
    const { webhookId } = job;
    expect((await read({ shards: [(job.shard + 1) % SHARDS], epochs: ['1'] })).jobs).toEqual([]);
    expect(idsOf(await read())).toEqual(idsOf({ jobs }));
    const webhookIds = [webhookId];
    const exceptDeliveries = idsOf({ jobs: [job] });
    expect((await read({ webhookIds, exceptDeliveries })).jobs).toHaveLength(2);
    expect((await read({ webhookIds, limit: 1 })).jobs).toHaveLength(1);
    await dueNow();
    const blocked = await read({ exceptWebhooks: [webhookId] });
    expect(blocked).toMatchObject({ jobs: [], all: [], left: [webhookId] });
  });

  it('brings the first of every webhook before the second of any', async () => {
    const busy = await waiting(await newWebhook(), 5);
    const [other] = await waiting(await newWebhook(), 1);
    const { jobs } = await read({ limit: 2 });
    expect(idsOf({ jobs })).toEqual(idsOf({ jobs: [busy[0], other] }));
  });

  it('brings live deliveries before those of a replay, by an index of each', async () => {
    const { pool } = database();
    const { openSealed } = onPostgres(database());
    const [first] = await waiting(await newWebhook(), 150);
    await pool.query('update pending set is_replay = true');
    await pool.query('analyze pending');
    const live = await waiting(first, 60);
    const rows = await inTransaction(pool, async (tx) =>
      rowsRead(tx, 'pending', async () => {
        const { jobs } = await dueWork(tx, openSealed)(query);
        expect(jobs).toHaveLength(query.limit);
        expect(idsOf({ jobs: jobs.slice(0, live.length) }).toSorted()).toEqual(
          idsOf({ jobs: live }).toSorted(),
        );
        expect(jobs.map(({ isReplay }) => isReplay === true)).toEqual(
          jobs.map((_, n) => n >= live.length),
        );
      }),
    );
    expect(rows).toBeLessThanOrEqual(150 + 60 + 100 + 10);
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
    expect(await read()).toMatchObject({ soonestMs: expect.any(Number), isMore: false });
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

describe('webhooks that wait', () => {
  const WAITING = 500;

  it('cost the deliveries of others nothing, and are looked at when their time comes', async () => {
    const { pool } = database();
    const { openSealed } = onPostgres(database());
    await addPending(WAITING, `now() + interval '1 hour'`);
    const jobs = await waiting(await newWebhook(), 200);
    await pool.query('analyze pending, webhook_due');
    const ids: string[] = [];
    const rows = await inTransaction(pool, async (tx) => {
      const readOne = async () => {
        const query_ = {
          ...query,
          exceptDeliveries: ids,
          webhookIds: ids.length > 0 ? [jobs[0].webhookId] : [],
        };
        ids.push(...idsOf(await dueWork(tx, openSealed)(query_)));
      };
      const inDue = await rowsRead(tx, 'webhook_due', readOne);
      return { inDue, inPending: await rowsRead(tx, 'pending', readOne) };
    });
    expect(ids.toSorted()).toEqual(idsOf({ jobs }).toSorted());
    expect(rows.inDue).toBeLessThanOrEqual(2 * SHARDS);
    // Deliveries in hand are passed, and the rest is brought.
    expect(rows.inPending).toBeLessThanOrEqual(jobs.length + 10);

    await pool.query(`update pending set next_at = now() where attempt = 2`);
    expect((await read({ limit: 2 * WAITING })).left).toEqual([]);
    const { rows: due } = await pool.query('select from webhook_due');
    expect(due).toHaveLength(WAITING + 1);
  });

  it('are each looked at once a minute while all that is due of them is in hand or blocked', async () => {
    await addPending(WAITING, 'now()');
    const begun = await clock();
    const visited: string[] = [];
    for (let isMore = true; isMore; ) {
      const turn = await read();
      visited.push(...turn.left, ...turn.all);
      ({ isMore } = turn);
    }
    expect(visited).toHaveLength(WAITING);
    expect(new Set(visited).size).toBe(WAITING);
    expect(await read()).toMatchObject({ jobs: [], all: [], left: [], isMore: false });

    const { rowCount } = await database().pool.query(
      `select from webhook_due
        where due_at between $1::timestamptz + interval '1 minute' and now() + interval '1 minute'`,
      [begun],
    );
    expect(rowCount).toBe(WAITING);
    await later('1 minute');
    expect((await read()).all).toHaveLength(query.limit);
  });

  it('are looked at under the next lease of the shard at once, if something of them was in hand', async () => {
    const [job] = await waiting(await newWebhook(), 1);
    const under = (epoch: string) => read({ epochs: ALL_SHARDS.map(() => epoch) });
    expect((await under('7')).jobs).toHaveLength(1);
    expect((await under('7')).jobs).toHaveLength(0);
    expect(idsOf(await under('8'))).toEqual([job.deliveryId]);
    // A read of the owner before, which is late.
    await dueNow();
    expect((await under('7')).jobs).toHaveLength(1);
    expect(idsOf(await under('8'))).toEqual([job.deliveryId]);
    expect((await under('8')).jobs).toHaveLength(0);

    await lookAgain(database().pool)([(job.shard + 1) % SHARDS]);
    expect((await under('8')).jobs).toHaveLength(0);
    await lookAgain(database().pool)([job.shard]);
    expect(idsOf(await under('8'))).toEqual([job.deliveryId]);
  });

  it('are forgotten once nothing of them is left', async () => {
    const { pool } = database();
    await waiting(await newWebhook(), 1);
    await pool.query('truncate pending');
    expect(await read()).toMatchObject({ jobs: [], left: [] });
    expect((await pool.query('select from webhook_due')).rowCount).toBe(0);
  });

  it('are looked at again for what was written meanwhile, whoever is first', async () => {
    const { pool } = database();
    const webhook = await newWebhook();
    const [first] = await waiting(webhook, 1);
    const exceptDeliveries = [first.deliveryId];
    const write = `update pending set next_at = now() - interval '1 minute' where webhook_id = $1`;
    const one = await pool.connect();
    try {
      await one.query('begin');
      await one.query(write, [toStoredId(webhook.webhookId)]);
      // The row is locked: the read neither waits nor puts the webhook off.
      expect((await read({ exceptDeliveries })).jobs).toEqual([]);
      await one.query('commit');
    } finally {
      one.release();
    }
    expect(idsOf(await read())).toEqual([first.deliveryId]);

    await pool.query(write, [toStoredId(webhook.webhookId)]);
    expect(idsOf(await read())).toEqual([first.deliveryId]);
  });
});

describe('a backlog', () => {
  it('is read webhook by webhook, so that one that waits is not behind all of another', async () => {
    const flood = await waiting(await newWebhook(), 120);
    const shard = flood[0].shard;
    const [other] = await waiting(await newWebhook(userIn(shard)), 1);

    // The database chooses the first of the flood, since all of them became due at one moment.
    const { jobs, left, all, isMore } = await read({ limit: 70 });
    const firstTwo = jobs.slice(0, 2).map((job) => job.webhookId);
    expect(firstTwo.toSorted()).toEqual([flood[0].webhookId, other.webhookId].toSorted());
    expect(jobs).toHaveLength(35 + 1);
    expect({ left, all, isMore }).toEqual({
      left: [flood[0].webhookId],
      all: [other.webhookId],
      isMore: false,
    });
  });

  it('is brought in large parts when it is of one webhook, and by an index', async () => {
    const { pool } = database();
    const { openSealed } = onPostgres(database());
    const [{ webhookId }] = await waiting(await newWebhook(), 1_000);
    await pool.query('analyze pending');
    const rows = await inTransaction(pool, async (tx) =>
      rowsRead(tx, 'pending', async () => {
        expect((await dueWork(tx, openSealed)(query)).jobs).toHaveLength(query.limit);
      }),
    );
    expect(rows).toBeLessThanOrEqual(query.limit + 10);
    expect((await read({ shards: [], epochs: [], webhookIds: [webhookId] })).jobs).toHaveLength(
      query.limit,
    );
  });

  it('is read, for many webhooks, in the order of their times, a first of each', async () => {
    const webhooks = await Promise.all(Array.from({ length: 6 }, async () => newWebhook()));
    const firsts: Job[] = [];
    for (const webhook of webhooks) firsts.push((await waiting(webhook, 2))[0]);
    const one = await read({ limit: 4 });
    expect(one.jobs.map(({ webhookId }) => webhookId)).toEqual(
      firsts.slice(0, 4).map(({ webhookId }) => webhookId),
    );
    expect(one).toMatchObject({ isMore: true, left: one.jobs.map(({ webhookId }) => webhookId) });
    const other = await read({ limit: 4 });
    expect(new Set(other.jobs.map(({ webhookId }) => webhookId))).toEqual(
      new Set(firsts.slice(4).map(({ webhookId }) => webhookId)),
    );
    expect(other).toMatchObject({ isMore: false, left: [] });
  });
});

describe('reading due deliveries of some webhooks', () => {
  it('brings a few of each webhook, a first of each before any second, and none of others', async () => {
    const flood = await waiting(await newWebhook(), 40);
    const few = await waiting(await newWebhook(), 2);
    await waiting(await newWebhook(), 3);
    const { jobs, all } = await readOf([flood[0], few[0]], { limit: 64 });
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
    expect((await readOf([one[0], other[0]], { limit: 2 })).all).toEqual([other[0].webhookId]);
    await database().pool.query(`update pending set next_at = now() + interval '1 minute'`);
    expect(await readOf([one[0], other[0]])).toMatchObject({ jobs: [], all: ids });
  });

  it('uses an index, however many deliveries others have', async () => {
    const { pool } = database();
    const { openSealed } = onPostgres(database());
    await waiting(await newWebhook(), 1_000);
    const [job] = await waiting(await newWebhook(), 1);
    await pool.query('analyze pending');
    const rows = await inTransaction(pool, async (tx) =>
      rowsRead(tx, 'pending', async () => {
        const one = { ...query, shards: [], epochs: [], webhookIds: [job.webhookId] };
        expect(idsOf(await dueWork(tx, openSealed)(one))).toEqual([job.deliveryId]);
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
  epochs: ALL_SHARDS.map(() => '1'),
  webhookIds: [],
  exceptWebhooks: [],
  exceptDeliveries: [],
  limit: 100,
};

const read = (parts: Partial<DueQuery> = {}) =>
  dueWork(database().pool, onPostgres(database()).openSealed)({ ...query, ...parts });

const readOf = (jobs: readonly Job[], parts: Partial<DueQuery> = {}) =>
  read({ ...parts, shards: [], epochs: [], webhookIds: jobs.map((job) => job.webhookId) });

/** So many webhooks whose deliveries are in no other table, each with one that is due at that time. */
const addPending = (webhooks: number, at: string) =>
  database().pool.query(
    `insert into pending (delivery_id, day, webhook_id, user_id, shard, attempt, status, next_at)
     select gen_random_uuid(), current_date, gen_random_uuid(), gen_random_uuid(), n % ${SHARDS}, 2, 'retrying', ${at}
       from generate_series(1, $1::int) n`,
    [webhooks],
  );

const dueNow = () => database().pool.query('update webhook_due set due_at = now()');

/** Time of the database, to the microsecond. */
const clock = async (): Promise<string> => {
  const { rows } = await database().pool.query<{ at: string }>('select now()::text as at');
  return rows[0]?.at ?? '';
};

/** Lets the time pass for which webhooks are put off. */
const later = (interval: string) =>
  database().pool.query('update webhook_due set due_at = due_at - $1::interval', [interval]);

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
