import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { eventually, tapped, useDatabase } from '@junction/testing';
import {
  blockFiling,
  duringAnother,
  endedDeliveries,
  NUMBERED_AHEAD,
  waitingForLocks,
} from '../../../../test/ended-deliveries.js';
import { explaining } from '../../../../test/filled-deliveries.js';
import { eventOf, onPostgres, resultOf } from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import type { Job } from '../../../application/job.js';
import { redactUserPayloads } from '../../../application/privacy/redact-user-payloads.js';
import { OTHERS_HAVE_ENDED } from '../begin-after.js';
import { writeResults } from '../sending/write-results.js';
import { toStoredId } from '../stored-id.js';
import { daysOfDeliveries } from './days-of-deliveries.js';
import { redactions, redactionTable } from './redaction-table.js';

const database = useDatabase(dispatcherSchema);

beforeAll(() => onPostgres(database()).prepare());

describe('a payload that is redacted', () => {
  it('is gone from the delivery and from those that repeat it; what happened stays', async () => {
    const { webhook, ids, log, again, endAll } = await endedDeliveries(database(), 'exhausted', 1);
    const [first = ''] = ids;
    const second = (await again(webhook.webhookId, first)) ?? '';
    const { redact } = onPostgres(database());
    await expect(redact(webhook.webhookId, second)).rejects.toMatchObject({
      code: 'delivery_under_way',
    });
    await endAll('succeeded');
    expect(await redact(webhook.webhookId, second)).toBe(true);
    for (const id of [first, second]) {
      expect(await log(id)).toMatchObject({
        body: undefined,
        payload_expunged_at: expect.any(Date),
      });
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
      `insert into attempts (day, delivery_id, n, at, result, total_ms, answer)
       select day, delivery_id, 1, now(), 'http_500', 4, 'no' from deliveries where delivery_id = $1`,
      stored,
    );
    const { redacting } = await inTransaction(pool, async (other) => {
      // The one that looks first whether there is a deadlock gives way.
      await other.query(`set local deadlock_timeout = '1min'`);
      await other.query('select from attempts where delivery_id = $1 for update', stored);
      const work = onPostgres(database()).redact(webhook.webhookId, id);
      work.catch(() => undefined);
      await eventually(async () => expect(await waitingForLocks(database())).toBe(1));
      await other.query('update deliveries set kind = kind where delivery_id = $1', stored);
      return { redacting: work };
    });
    await expect(redacting).resolves.toBe(true);
    expect(await log(id)).toMatchObject({ body: undefined, payload_expunged_at: expect.any(Date) });
  });
});

describe('the payloads of a user', () => {
  it('go from all days and webhooks, also one that is deleted; what waits keeps its own until it has ended', async () => {
    const { newWebhook, takeIn, handle } = onPostgres(database());
    const { userId, webhookId } = await newWebhook();
    const { webhookId: deletedId } = await newWebhook(userId);
    const before = await takeIn([eventOf(userId)]);
    const others = await takeIn([eventOf((await newWebhook()).userId)]);
    await succeed([...before, ...others]);
    await fileADayEarlier(before.filter((job) => job.webhookId === webhookId));
    await handle(deletedId, {
      type: 'DeleteWebhook',
      data: { reason: 'user', at: new Date().toISOString() },
    });
    const waiting = await takeIn([eventOf(userId)]);
    const requestedAt = await request(userId);
    expect(await redactions(database().pool).requestedAt(userId)).toEqual(requestedAt);
    await eventually(() => expect(Date.now()).toBeGreaterThan(requestedAt.getTime()));
    const later = await takeIn([eventOf(userId)]);
    await succeed(later);

    await redactedUntil(async () => expect(await payloads(before)).toEqual([GONE, GONE]));
    const kept = { body: true, answers: 1, redacted: false };
    expect(await payloads([...others, ...later])).toEqual([kept, kept]);
    expect(await payloads(waiting)).toEqual([{ body: true, answers: 0, redacted: false }]);

    await succeed(waiting);
    await redactedUntil(async () => {
      expect(await payloads(waiting)).toEqual([GONE]);
      expect(await requestsOf(userId)).toBe(0);
    });
    expect(await payloads([...others, ...later])).toEqual([kept, kept]);
  });

  it('go up to the moment when it was asked for last', async () => {
    const { newWebhook, takeIn } = onPostgres(database());
    const { userId } = await newWebhook();
    const waiting = await takeIn([eventOf(userId)]);
    const first = await request(userId);
    await redactedUntil(async () => expect(await payloadsListedOf(userId)).toBe(1));
    await eventually(() => expect(Date.now()).toBeGreaterThan(first.getTime()));
    const between = await takeIn([eventOf(userId)]);
    await succeed(between);
    expect((await request(userId)).getTime()).toBeGreaterThan(first.getTime());
    await redactedUntil(async () => expect(await payloads(between)).toEqual([GONE]));
    expect(await payloads(waiting)).toMatchObject([{ body: true }]);
    expect(await requestsOf(userId)).toBe(1);
  });

  it('go when every transaction is over that was under way, for it may file another', async () => {
    const { newWebhook, takeIn } = onPostgres(database());
    const { userId } = await newWebhook();
    const jobs = await takeIn([eventOf(userId)]);
    await succeed(jobs);
    const early = await duringAnother(database(), async () => {
      await request(userId);
      await redactAll();
      return payloads(jobs);
    });
    expect(early).toEqual([{ body: true, answers: 1, redacted: false }]);
    await redactedUntil(async () => expect(await payloads(jobs)).toEqual([GONE]));
  });

  it('go also when they were asked for in the cluster that this database was restored from', async () => {
    const { newWebhook, takeIn } = onPostgres(database());
    const { userId } = await newWebhook();
    const jobs = await takeIn([eventOf(userId)]);
    await succeed(jobs);
    await request(userId);
    await database().pool.query(`update redactions set begin_after = ${NUMBERED_AHEAD}`);
    await redactedUntil(async () => expect(await payloads(jobs)).toEqual([GONE]));
    expect(await requestsOf(userId)).toBe(0);
  });

  it('go with answers to requests that were under way when their webhook was disabled', async () => {
    const { newWebhook, takeIn, handle } = onPostgres(database());
    const { userId, webhookId } = await newWebhook();
    const jobs = await takeIn([eventOf(userId)]);
    await handle(webhookId, {
      type: 'DisableWebhook',
      data: { reason: 'gone_410', at: new Date().toISOString() },
    });
    await request(userId);
    await redactedUntil(async () => expect(await payloadsListedOf(userId)).toBe(1));
    await succeed(jobs);
    expect(await payloads(jobs)).toEqual([{ body: true, answers: 1, redacted: false }]);
    await database().pool.query(
      `update outcomes set at = at - interval '2 minutes' where delivery_id = any ($1::uuid[])`,
      [jobs.map(({ deliveryId }) => toStoredId(deliveryId))],
    );
    await redactedUntil(async () => expect(await payloads(jobs)).toEqual([GONE]));
  });

  it('are listed together with those of other users, each day in one read', async () => {
    const { pool } = database();
    const { newWebhook, takeIn } = onPostgres(database());
    const users = [await newWebhook(), await newWebhook(), await newWebhook()];
    const jobs = await takeIn(users.map(({ userId }) => eventOf(userId)));
    await succeed(jobs);
    await pool.query('delete from redactions');
    for (const { userId } of users) await request(userId);
    await eventually(async () => {
      const { rowCount } = await pool.query(`select from redactions where ${OTHERS_HAVE_ENDED}`);
      expect(rowCount).toBe(users.length);
    });
    let reads = 0;
    const counting = tapped(pool, (db, asked) => {
      if (/select d\.user_id, d\.day/.test(asked.text)) reads++;
      return db.query(asked);
    });
    const { unitOfWork: quietWork } = onPostgres({ ...database(), pool: counting });
    await eventually(async () => {
      await redactUserPayloads({ quietWork, redactions: redactions(pool) })();
      expect(await payloads(jobs)).toEqual([GONE, GONE, GONE]);
    });
    expect(reads).toBe((await daysOfDeliveries(pool)).filter((day) => day <= tomorrow()).length);
  });

  it('are taken from the list in its order, however much is listed', async () => {
    const { pool } = database();
    const { userId } = await onPostgres(database()).newWebhook();
    await pool.query('analyze payloads_to_redact');
    await pool.query(
      `insert into payloads_to_redact (user_id, day, delivery_id)
       select $1, now(), uuidv7() from generate_series(1, 20000)`,
      [userId],
    );
    let read = 0;
    const explained = explaining(pool, ({ table, rows }) => {
      if (table === 'payloads_to_redact') read += rows;
    });
    await inTransaction(explained, (tx) => redactionTable(tx).next(userId));
    expect(read).toBeLessThanOrEqual(2_000);
    await pool.query('delete from payloads_to_redact where user_id = $1', [userId]);
  });

  it('go from a repeat that was made meanwhile, and nothing more is sent again', async () => {
    const { webhook, ids, again, count, endAll } = await endedDeliveries(
      database(),
      'exhausted',
      2,
    );
    const [first = '', second = ''] = ids;
    await request(webhook.userId);
    const jobs = ids.map((deliveryId) => ({ deliveryId }));
    const blocking = await blockFiling(database());
    const repeating = again(webhook.webhookId, first);
    let redacting: Promise<void> | undefined;
    try {
      await eventually(async () => expect(await waitingForLocks(database())).toBe(1));
      redacting = redactedUntil(async () => expect(await payloads(jobs)).toEqual([GONE, GONE]));
      // Redacting the payload waits for the transaction that copies it.
      await eventually(async () => expect(await waitingForLocks(database())).toBe(2));
    } finally {
      await blocking.end();
    }
    const repeat = { deliveryId: (await repeating) ?? '' };
    await redacting;
    expect(await payloads([repeat])).toMatchObject([{ body: true, redacted: false }]);
    await endAll('exhausted');
    await redactedUntil(async () => expect(await payloads([repeat])).toEqual([GONE]));

    await expect(again(webhook.webhookId, second)).rejects.toMatchObject({
      code: 'payload_expunged',
    });
    expect((await count(['exhausted'])).count).toBe(0);
  });
});

const request = (userId: string) => redactions(database().pool).request(userId);
const redactAll = () => {
  const { unitOfWork: quietWork } = onPostgres(database());
  return redactUserPayloads({ quietWork, redactions: redactions(database().pool) })();
};

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);

const GONE = { body: false, answers: 0, redacted: true };

/** Two replicas at it, until they have come so far. */
const redactedUntil = (check: () => Promise<void>): Promise<void> =>
  eventually(async () => {
    await Promise.all([redactAll(), redactAll()]);
    await check();
  });

/** Reads whether each delivery still holds its body and answers, in the order of their ids. */
async function payloads(jobs: readonly Pick<Job, 'deliveryId'>[]) {
  const { rows } = await database().pool.query(
    `select body <> '' as body, redacted_at is not null as redacted,
            (select count(*)::int from attempts a
              where a.delivery_id = d.delivery_id and answer is not null)
              as answers
       from deliveries d where delivery_id = any ($1::uuid[]) order by delivery_id`,
    [jobs.map(({ deliveryId }) => toStoredId(deliveryId))],
  );
  return rows;
}

const countOf = (table: string) => async (userId: string) =>
  (await database().pool.query(`select from ${table} where user_id = $1`, [userId])).rowCount;
const requestsOf = countOf('redactions');
const payloadsListedOf = countOf('payloads_to_redact');

/** Writes an answer to each that the receiver liked. */
async function succeed(jobs: readonly Job[]): Promise<void> {
  const { holdAll, unlock, index } = onPostgres(database());
  const epochs = await holdAll('replica-a');
  const results = jobs.map((job) => {
    const fact = { type: 'delivery.succeeded', data: { attempt: 1 } } as const;
    return resultOf(job, epochs.get(job.shard) ?? '', fact);
  });
  const written = await writeResults(
    database().pool,
    { owner: 'replica-a', unlock, index },
    results,
  );
  expect(written).toHaveLength(jobs.length);
}

async function fileADayEarlier(jobs: readonly Job[]): Promise<void> {
  for (const table of ['deliveries', 'attempts', 'outcomes']) {
    for (const { day, deliveryId } of jobs) {
      const { rows } = await database().pool.query<{ name: string; earlier: string }>(
        `select to_char($1::date - 1, 'YYYYMMDD') as name, ($1::date - 1)::text as earlier`,
        [day],
      );
      const [{ name, earlier } = { name: '', earlier: '' }] = rows;
      await database().pool.query(
        `create table ${table}_${name} partition of ${table} for values from ('${earlier}') to ('${day}')`,
      );
      await database().pool.query(
        `update ${table} set day = $1 where day = $2 and delivery_id = $3`,
        [earlier, day, toStoredId(deliveryId)],
      );
    }
  }
}
