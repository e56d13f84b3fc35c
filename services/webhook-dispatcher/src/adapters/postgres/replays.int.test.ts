import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { inTransaction } from '@junction/eventsourcing-postgres';
import { eventually, useDatabase } from '@junction/testing';
import { dispatcherSchema, eventOf, onPostgres, resultOf } from '../../../test/on-postgres.js';
import type { Job } from '../../application/dispatch/job.js';
import type { ReplayableOutcome, ReplaySpan } from '../../application/replay.js';
import { replayRows } from './advance-replays.js';
import { deliveryLog } from './delivery-log.js';
import { eventLog } from './event-log.js';
import { expungePayload } from './expunge.js';
import { expungeUsers, requestExpunge } from './expunge-users.js';
import { redeliver } from './redeliveries.js';
import { replays } from './replays.js';
import { toStoredId } from './stored-id.js';
import { writeResults } from './write-results.js';

const database = useDatabase(dispatcherSchema);
/** By a cluster that had seen more transactions than this one. */
const NUMBERED_AHEAD = `(pg_current_xact_id()::text::bigint + 5000000000)::text::xid8`;

beforeAll(() => onPostgres(database()).prepare());

describe('a delivery that is sent again', () => {
  it('is a new one of the same message and bytes, and says what it repeats', async () => {
    const { webhook, ids, log, again } = await withEnded('exhausted', 1);
    const [first = ''] = ids;
    const second = (await again(webhook.webhookId, first)) ?? '';
    const [before, after] = [await log(first), await log(second)];
    expect(after).toMatchObject({ status: 'pending', attempts: 0, originalId: first });
    expect(after?.messageId).toBe(before?.messageId);
    expect(after?.body).toEqual(before?.body);
    expect(before).toMatchObject({ status: 'exhausted', originalId: null });
  });

  it('is made once, however many ask at the same time', async () => {
    const { webhook, ids, again, endAll } = await withEnded('exhausted', 1);
    const [first = ''] = ids;
    const blocking = await blockFiling();
    const asking = Promise.allSettled([1, 2, 3].map(() => again(webhook.webhookId, first)));
    try {
      await eventually(async () => expect(await waitingForLocks()).toBe(3));
    } finally {
      await blocking.end();
    }
    const asked = await asking;
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = asked.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'delivery_under_way' } });

    await endAll('exhausted');
    const repeated = (await again(webhook.webhookId, first)) ?? '';
    await endAll('succeeded');
    // A repeat of a repeat is one of the first.
    const third = (await again(webhook.webhookId, repeated)) ?? '';
    const { rows } = await database().pool.query(
      'select count(*)::int as repeats from redeliveries where original_id = $1',
      [toStoredId(first)],
    );
    expect(rows).toEqual([{ repeats: 3 }]);
    expect(third).not.toBe(repeated);
  });

  it("is not another webhook's, and not one whose payload was removed", async () => {
    const { webhook, ids, again } = await withEnded('succeeded', 1);
    const [first = ''] = ids;
    expect(await again(newId('wh'), first)).toBeUndefined();
    expect(await expungePayload(database().pool)(webhook.webhookId, first)).toBe(true);
    await expect(again(webhook.webhookId, first)).rejects.toMatchObject({
      code: 'payload_expunged',
    });
  });
});

describe('a payload that is removed', () => {
  it('is gone from the delivery and from those that repeat it; what happened stays', async () => {
    const { webhook, ids, log, again, endAll } = await withEnded('exhausted', 1);
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
    const requestedAt = await requestExpunge(database().pool)(userId);
    await eventually(() => expect(Date.now()).toBeGreaterThan(requestedAt.getTime()));
    const later = await takeIn([eventOf(userId)]);
    await succeed(later);

    await expungedUntil(async () => expect(await payloads(before)).toEqual([GONE, GONE]));
    const kept = { body: true, answers: 1, expunged: false };
    expect(await payloads([...others, ...later])).toEqual([kept, kept]);
    expect(await payloads(waiting)).toEqual([{ body: true, answers: 0, expunged: false }]);

    await succeed(waiting);
    await expungedUntil(async () => {
      expect(await payloads(waiting)).toEqual([GONE]);
      expect(await requestsOf(userId)).toBe(0);
    });
    expect(await payloads([...others, ...later])).toEqual([kept, kept]);
  });

  it('go up to the moment when it was asked for last', async () => {
    const { newWebhook, takeIn } = onPostgres(database());
    const { userId } = await newWebhook();
    const request = requestExpunge(database().pool);
    const waiting = await takeIn([eventOf(userId)]);
    const first = await request(userId);
    await expungedUntil(async () => expect(await payloadsListedOf(userId)).toBe(1));
    await eventually(() => expect(Date.now()).toBeGreaterThan(first.getTime()));
    const between = await takeIn([eventOf(userId)]);
    await succeed(between);
    expect((await request(userId)).getTime()).toBeGreaterThan(first.getTime());
    await expungedUntil(async () => expect(await payloads(between)).toEqual([GONE]));
    expect(await payloads(waiting)).toMatchObject([{ body: true }]);
    expect(await requestsOf(userId)).toBe(1);
  });

  it('go when every transaction is over that was under way, for it may file another', async () => {
    const { newWebhook, takeIn } = onPostgres(database());
    const { userId } = await newWebhook();
    const jobs = await takeIn([eventOf(userId)]);
    await succeed(jobs);
    const early = await duringAnother(async () => {
      await requestExpunge(database().pool)(userId);
      await expungeUsers(database().pool);
      return payloads(jobs);
    });
    expect(early).toEqual([{ body: true, answers: 1, expunged: false }]);
    await expungedUntil(async () => expect(await payloads(jobs)).toEqual([GONE]));
  });

  it('go also when they were asked for in the cluster that this database was restored from', async () => {
    const { newWebhook, takeIn } = onPostgres(database());
    const { userId } = await newWebhook();
    const jobs = await takeIn([eventOf(userId)]);
    await succeed(jobs);
    await requestExpunge(database().pool)(userId);
    await database().pool.query(`update expunges set begin_after = ${NUMBERED_AHEAD}`);
    await expungedUntil(async () => expect(await payloads(jobs)).toEqual([GONE]));
    expect(await requestsOf(userId)).toBe(0);
  });

  it('go with answers to requests that were under way when their webhook was disabled', async () => {
    const { newWebhook, takeIn, handle } = onPostgres(database());
    const { userId, webhookId } = await newWebhook();
    const jobs = await takeIn([eventOf(userId)]);
    await handle(webhookId, {
      type: 'DisableWebhook',
      data: { reason: 'failing', at: new Date().toISOString() },
    });
    await requestExpunge(database().pool)(userId);
    await expungedUntil(async () => expect(await payloadsListedOf(userId)).toBe(1));
    await succeed(jobs);
    expect(await payloads(jobs)).toEqual([{ body: true, answers: 1, expunged: false }]);
    await database().pool.query(
      `update outcomes set at = at - interval '2 minutes' where delivery_id = any ($1::uuid[])`,
      [jobs.map(({ deliveryId }) => deliveryId)],
    );
    await expungedUntil(async () => expect(await payloads(jobs)).toEqual([GONE]));
  });

  it('go from a repeat that was made meanwhile, and nothing more is sent again', async () => {
    const { webhook, ids, again, count, endAll } = await withEnded('exhausted', 2);
    const [first = '', second = ''] = ids;
    await requestExpunge(database().pool)(webhook.userId);
    const jobs = ids.map((id) => ({ deliveryId: toStoredId(id) }));
    const blocking = await blockFiling();
    const repeating = again(webhook.webhookId, first);
    let expunging: Promise<void> | undefined;
    try {
      await eventually(async () => expect(await waitingForLocks()).toBe(1));
      expunging = expungedUntil(async () => expect(await payloads(jobs)).toEqual([GONE, GONE]));
      // Who removes the payload waits for who copies it.
      await eventually(async () => expect(await waitingForLocks()).toBe(2));
    } finally {
      await blocking.end();
    }
    const repeat = { deliveryId: toStoredId((await repeating) ?? '') };
    await expunging;
    expect(await payloads([repeat])).toMatchObject([{ body: true, expunged: false }]);
    await endAll('exhausted');
    await expungedUntil(async () => expect(await payloads([repeat])).toEqual([GONE]));

    await expect(again(webhook.webhookId, second)).rejects.toMatchObject({
      code: 'payload_expunged',
    });
    expect((await count(['exhausted'])).count).toBe(0);
  });
});

describe('a replay', () => {
  it.each(['exhausted', 'succeeded'] as const)(
    'sends each delivery of the span that %s once, whatever replicas move it and whenever one fails',
    async (outcome) => {
      const { webhook, ids, begin, rows, pending, clear } = await withEnded(outcome, 230);
      const begun = await begin([outcome]);
      expect(begun).toMatchObject({ count: 230, isExact: true, status: 'running', progress: 0 });
      const broken = replayRows(database().pool, onPostgres(database()).unlock, () => {
        throw new Error('The replica ends here.');
      });
      // It begins when every transaction that was under way is over, those of other databases too.
      await eventually(() => expect(broken.advance()).rejects.toThrow('ends here'));

      const sent: string[] = [];
      let found = await find(begun.operationId, webhook.userId);
      while (found?.status === 'running' && sent.length <= ids.length) {
        await Promise.all([rows.advance(), rows.advance(), rows.advance()]);
        const waiting = await pending();
        expect(waiting.length).toBeLessThanOrEqual(100);
        sent.push(...waiting);
        await clear();
        found = await find(begun.operationId, webhook.userId);
      }
      expect(found).toMatchObject({ status: 'completed', sent: 230, skipped: 0, progress: 1 });
      expect(new Set(sent).size).toBe(230);
      expect(sent.toSorted()).toEqual(ids.map(toStoredId).toSorted());
    },
  );

  it('leaves out what a repeat delivered meanwhile, and what still waits', async () => {
    const { webhook, ids, again, endAll, count } = await withEnded('exhausted', 3);
    expect(await count(['exhausted'])).toEqual({ count: 3, isExact: true });
    await again(webhook.webhookId, ids[0] ?? '');
    expect((await count(['exhausted'])).count).toBe(2);
    await endAll('succeeded');
    expect((await count(['exhausted'])).count).toBe(2);
    expect((await count(['succeeded'])).count).toBe(1);
    expect((await count(['succeeded', 'exhausted'])).count).toBe(3);
  });

  it('takes what was held while the webhook was disabled', async () => {
    const { webhook, count, begin, rows, pending } = await withEnded('held', 2);
    expect((await count(['held'])).count).toBe(2);
    const { operationId } = await begin(['held']);
    await advanceUntilEnd(rows, operationId, webhook.userId);
    expect(await pending()).toHaveLength(2);
    expect((await count(['held'])).count).toBe(0);
  });

  it('goes on while nothing makes room, and runs once at a time', async () => {
    const { webhook, begin, rows, pending } = await withEnded('exhausted', 120);
    const { operationId } = await begin(['exhausted']);
    await expect(begin(['exhausted'])).rejects.toMatchObject({ code: 'replay_under_way' });
    await eventually(async () => {
      await rows.advance();
      expect(await pending()).toHaveLength(100);
    });
    for (let n = 0; n < 2; n++) await rows.advance();
    expect(await pending()).toHaveLength(100);
    const found = await find(operationId, webhook.userId);
    expect(found).toMatchObject({ status: 'running', sent: 100 });
    expect(await replays(database().pool).cancel(webhook.userId, operationId)).toBe(true);
    expect(await replays(database().pool).cancel(webhook.userId, operationId)).toBe(true);
    expect(await replays(database().pool).cancel(newId('wh').slice(3), operationId)).toBe(false);
    await rows.advance();
    expect(await find(operationId, webhook.userId)).toMatchObject({
      status: 'cancelled',
      reason: 'user',
      sent: 100,
    });
  });

  it('is not held up by retries of a later hour', async () => {
    const { webhook, begin, rows, pending } = await withEnded('exhausted', 3);
    const { takeIn } = onPostgres(database());
    await takeIn(Array.from({ length: 120 }, () => eventOf(webhook.userId)));
    await database().pool.query(
      `update pending set status = 'retrying', next_at = now() + interval '1 hour' where webhook_id = $1`,
      [toStoredId(webhook.webhookId)],
    );
    const { operationId } = await begin(['exhausted']);
    await advanceUntilEnd(rows, operationId, webhook.userId);
    expect(await pending()).toHaveLength(3);
  });

  it('ends when its webhook is disabled', async () => {
    const { webhook, begin, rows } = await withEnded('exhausted', 1);
    const { operationId } = await begin(['exhausted']);
    await onPostgres(database()).handle(webhook.webhookId, {
      type: 'DisableWebhook',
      data: { reason: 'failing', at: new Date().toISOString() },
    });
    await advanceUntilEnd(rows, operationId, webhook.userId);
    expect(await find(operationId, webhook.userId)).toMatchObject({
      status: 'cancelled',
      reason: 'webhook_disabled',
    });
  });

  it('waits for transactions that were under way when it was asked for', async () => {
    const { webhook, begin, rows } = await withEnded('exhausted', 1);
    const { operationId, early } = await duringAnother(async () => {
      const operation = await begin(['exhausted']);
      return { ...operation, early: await rows.advance() };
    });
    expect(early).toBeUndefined();
    await advanceUntilEnd(rows, operationId, webhook.userId);
    expect(await find(operationId, webhook.userId)).toMatchObject({ sent: 1 });
  });

  it('begins also when it was asked for in the cluster that this database was restored from', async () => {
    const { webhook, begin, rows } = await withEnded('exhausted', 1);
    const { operationId } = await begin(['exhausted']);
    await database().pool.query(
      `update operations set begin_after = ${NUMBERED_AHEAD} where status = 'running'`,
    );
    await advanceUntilEnd(rows, operationId, webhook.userId);
    expect(await find(operationId, webhook.userId)).toMatchObject({ sent: 1 });
  });
});

describe('an event', () => {
  it('shows what became of it at each webhook, repeats too', async () => {
    const { webhook, ids, again, log } = await withEnded('exhausted', 1);
    const first = await log(ids[0] ?? '');
    await again(webhook.webhookId, ids[0] ?? '');
    const events = eventLog(database().pool);
    const found = await events.detail(webhook.userId, first?.messageId ?? '');
    expect(found).toMatchObject({
      kind: 'draft.created',
      source: '/tests',
      verdicts: { [webhook.webhookId]: 'pending' },
    });
    expect(found?.deliveries.map(({ status }) => status)).toEqual(['exhausted', 'pending']);
    expect(await events.detail(newId('wh').slice(3), first?.messageId ?? '')).toBeUndefined();
  });

  it('is listed newest first, page after page', async () => {
    const { webhook } = await withEnded('succeeded', 5);
    const events = eventLog(database().pool);
    const all = await events.page(webhook.userId, { limit: 10 });
    expect(all.items).toHaveLength(5);
    const read: string[] = [];
    let after: { atMicros: string; messageId: string } | undefined;
    do {
      const page = await events.page(webhook.userId, { limit: 2, after });
      read.push(...page.items.map(({ messageId }) => messageId));
      const [atMicros = '', messageId = ''] = page.nextAfter?.split('.') ?? [];
      after = page.nextAfter === undefined ? undefined : { atMicros, messageId };
    } while (after !== undefined);
    expect(read).toEqual(all.items.map(({ messageId }) => messageId));
  });
});

const GONE = { body: false, answers: 0, expunged: true };

/** Two replicas at it, until they have come so far. */
const expungedUntil = (check: () => Promise<void>): Promise<void> =>
  eventually(async () => {
    const { pool } = database();
    await Promise.all([expungeUsers(pool), expungeUsers(pool)]);
    await check();
  });

/** What each delivery still holds, in the order of their ids. */
async function payloads(jobs: readonly Pick<Job, 'deliveryId'>[]) {
  const { rows } = await database().pool.query(
    `select body <> '' as body, expunged_at is not null as expunged,
            (select count(*)::int from attempts a
              where a.delivery_id = d.delivery_id and answer is not null)
              as answers
       from deliveries d where delivery_id = any ($1::uuid[]) order by delivery_id`,
    [jobs.map(({ deliveryId }) => deliveryId)],
  );
  return rows;
}

const countOf = (table: string) => async (userId: string) =>
  (await database().pool.query(`select from ${table} where user_id = $1`, [userId])).rowCount;
const requestsOf = countOf('expunges');
const payloadsListedOf = countOf('payloads_to_expunge');

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
        [earlier, day, deliveryId],
      );
    }
  }
}

const HOUR_MS = 3_600_000;

/** Until it ends, whoever files a delivery waits; whoever reads does not. */
async function blockFiling() {
  const blocking = await database().pool.connect();
  await blocking.query('begin');
  await blocking.query('lock table pending in share mode');
  return {
    async end() {
      await blocking.query('commit');
      blocking.release();
    },
  };
}

async function waitingForLocks(): Promise<number> {
  const { rows } = await database().pool.query<{ waiting: number }>(
    `select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.waiting ?? 0;
}

const find = (operationId: string, userId: string) =>
  replays(database().pool).find(userId, operationId);

async function advanceUntilEnd(
  rows: ReturnType<typeof replayRows>,
  operationId: string,
  userId: string,
): Promise<void> {
  await eventually(async () => {
    await rows.advance();
    expect((await find(operationId, userId))?.status).not.toBe('running');
  });
}

/** While another transaction is under way, which ends in any case: who waits for it would wait for ever. */
const duringAnother = <T>(work: () => Promise<T>): Promise<T> =>
  inTransaction(database().pool, async (other) => {
    await other.query('select pg_current_xact_id()');
    return work();
  });

/** A webhook of a new user with so many deliveries that ended like this. */
async function withEnded(status: ReplayableOutcome, many: number) {
  const { pool } = database();
  const parts = onPostgres(database());
  const webhook = await parts.newWebhook();
  const jobs = await parts.takeIn(Array.from({ length: many }, () => eventOf(webhook.userId)));
  const webhookId = toStoredId(webhook.webhookId);
  const endAll = async (ending: ReplayableOutcome) => {
    await pool.query(
      `with ended as (delete from pending where webhook_id = $1 returning day, delivery_id)
       insert into outcomes (day, delivery_id, webhook_id, status, reason, at)
       select day, delivery_id, $1, $2, 'a_reason', clock_timestamp() from ended`,
      [webhookId, ending],
    );
  };
  await endAll(status);
  const span = (outcomes: readonly ReplayableOutcome[]): ReplaySpan => ({
    from: new Date(Date.now() - HOUR_MS),
    to: new Date(Date.now() + 1),
    outcomes,
  });
  const log = deliveryLog(pool, parts.openSealed);
  return {
    webhook,
    ids: jobs.map(({ deliveryId }) => `dlv_${deliveryId}`),
    endAll,
    log: (id: string) => log.detail(webhook.webhookId, webhook.userId, id),
    again: redeliver(pool, parts.unlock, () => toStoredId(newId('dlv'))),
    rows: replayRows(pool, parts.unlock, () => toStoredId(newId('dlv'))),
    count: (outcomes: readonly ReplayableOutcome[]) =>
      replays(pool).count(webhook.webhookId, span(outcomes)),
    begin: async (outcomes: readonly ReplayableOutcome[]) =>
      replays(pool).begin(
        newId('op'),
        webhook,
        span(outcomes),
        await replays(pool).count(webhook.webhookId, span(outcomes)),
      ),
    /** What the deliveries that wait repeat. */
    async pending() {
      const { rows } = await pool.query<{ original_id: string }>(
        `select r.original_id from pending p join redeliveries r using (delivery_id)
          where p.webhook_id = $1`,
        [webhookId],
      );
      return rows.map((row) => row.original_id);
    },
    clear: () => endAll('succeeded'),
  };
}
