import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { sharedUse } from '@junction/service/callers';
import { eventually, rowsRead, useDatabase } from '@junction/testing';
import {
  duringAnother,
  endedDeliveries,
  NUMBERED_AHEAD,
} from '../../../../test/ended-deliveries.js';
import { eventOf, onPostgres, plenty } from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import { advanceReplay } from '../../../application/replaying/advance-replay.js';
import { BUDGET_WINDOWS, byteBudget } from '../../../application/replaying/byte-budget.js';
import type { ReplayableOutcome } from '../../../application/replaying/ports.js';
import { toStoredId } from '../stored-id.js';
import { postgresUnitOfWork } from '../unit-of-work.js';
import { countRunning } from './count-replay.js';
import { candidates } from './replay-candidates.js';
import { replays } from './replays.js';

const database = useDatabase(dispatcherSchema);

beforeAll(() => onPostgres(database()).prepare());

describe('a replay', () => {
  it('sends each delivery of the span once, whatever replicas move it and whenever one fails', async () => {
    const { webhook, ids, begin, rows, pending, clear } = await withEnded('succeeded', 230);
    const begun = await begin(['succeeded']);
    expect(begun).toMatchObject({ count: 0, isExact: false, status: 'running', progress: 0 });
    const { tables } = onPostgres(database());
    const unlock = async () => {
      throw new Error('The replica ends here.');
    };
    const broken = postgresUnitOfWork({
      pool: database().pool,
      ...tables,
      writing: { ...tables.writing, unlock },
    });
    // The replay starts when every transaction that was under way has ended, in other databases too.
    await eventually(() =>
      expect(broken.inTransaction((tx) => advanceReplay(tx, plenty()))).rejects.toThrow(
        'ends here',
      ),
    );

    const sent: string[] = [];
    let found = await find(begun.operationId, webhook.userId);
    while (found?.status === 'running' && sent.length <= ids.length) {
      await Promise.all([rows.advance(), rows.advance(), rows.advance()]);
      const waiting = await pending();
      expect(waiting.length).toBeLessThanOrEqual(found.room * 2);
      sent.push(...waiting);
      await clear();
      found = await find(begun.operationId, webhook.userId);
    }
    const whole = { count: 230, isExact: true, sent: 230, skipped: 0, progress: 1 };
    expect(found).toMatchObject({ ...whole, status: 'completed' });
    expect(new Set(sent).size).toBe(230);
    expect(sent.toSorted()).toEqual(ids.toSorted());
  });

  it('leaves out what a repeat delivered meanwhile, and what still waits', async () => {
    const { webhook, ids, again, endAll, count, retrying } = await withEnded('exhausted', 3);
    expect(await count(['exhausted'])).toEqual({ count: 3, isExact: true });
    await again(webhook.webhookId, ids[0] ?? '');
    expect((await count(['exhausted'])).count).toBe(2);
    await endAll('succeeded');
    expect((await count(['exhausted'])).count).toBe(2);
    expect((await count(['succeeded'])).count).toBe(1);
    expect((await count(['succeeded', 'exhausted'])).count).toBe(3);
    await retrying();
    expect((await count(['retrying'])).count).toBe(1);
  });

  it('takes a repeat that waits for another attempt as itself, and once', async () => {
    const { webhook, ids, again, count, begin, rows } = await withEnded('exhausted', 2);
    const repeat = (await again(webhook.webhookId, ids[0] ?? '')) ?? '';
    await database().pool.query(
      `update pending set status = 'retrying', next_at = now() + interval '1 hour' where delivery_id = $1`,
      [toStoredId(repeat)],
    );
    expect((await count(['retrying'])).count).toBe(1);
    expect((await count(['retrying', 'exhausted'])).count).toBe(2);
    const { operationId } = await begin(['retrying']);
    await advanceUntilEnd(rows, operationId, webhook.userId);
    expect(await find(operationId, webhook.userId)).toMatchObject({ sent: 1, skipped: 0 });
    const { rows: due } = await database().pool.query<object>(
      'select is_replay from pending where delivery_id = $1 and next_at <= now()',
      [toStoredId(repeat)],
    );
    expect(due).toEqual([{ is_replay: true }]);
  });

  it('finds what is retrying without a look at what has ended', async () => {
    const { webhook, count, retrying } = await withEnded('succeeded', 200);
    await retrying();
    const { pool } = database();
    await pool.query('analyze deliveries, pending, outcomes');
    const all = {
      from: new Date(0),
      to: new Date(Date.now() + 1_000),
      outcomes: ['retrying'] as const,
    };
    const read = await inTransaction(pool, async (tx) => {
      const day = `deliveries_${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`;
      return rowsRead(tx, day, async () => {
        expect(await candidates(tx, webhook.webhookId, all, null, 100)).toHaveLength(1);
      });
    });
    expect(read).toBeLessThanOrEqual(2);
    expect((await count(['retrying'])).count).toBe(1);
  });

  it('goes on while nothing makes room, and runs once at a time', async () => {
    const { webhook, begin, rows, pending, takeLive } = await withEnded('exhausted', 500);
    const { operationId } = await begin(['exhausted']);
    const underWay = { kind: 'conflict', code: 'replay_under_way' };
    await expect(begin(['exhausted'])).rejects.toMatchObject(underWay);
    // Live deliveries go first, so they take none of its room.
    await takeLive(150);
    await eventually(async () => {
      await rows.advance();
      expect(await pending()).toHaveLength(100);
    });
    for (let n = 0; n < 20; n++) await rows.advance();
    const { sent = 0 } = (await find(operationId, webhook.userId)) ?? {};
    // The room of 64 doubles once: from then on something is due.
    expect(sent).toBeLessThanOrEqual(128);
    expect(await pending()).toHaveLength(sent);
    expect(await replays(database().pool).cancel(webhook.userId, operationId)).toBe(true);
    expect(await replays(database().pool).cancel(webhook.userId, operationId)).toBe(true);
    expect(await replays(database().pool).cancel(newId('wh').slice(3), operationId)).toBe(false);
    await rows.advance();
    expect(await find(operationId, webhook.userId)).toMatchObject({
      status: 'cancelled',
      reason: 'user',
      sent,
    });
    const { operationId: next } = await begin(['held']);
    expect(await replays(database().pool).cancel(webhook.userId, next)).toBe(true);
  });

  it('is filed in a turn for a hundred deliveries while all of it is answered, and rests for none', async () => {
    const { webhook, begin, rows, clear } = await withEnded('exhausted', 600);
    const { operationId } = await begin(['exhausted']);
    let turns = 0;
    await eventually(async () => {
      const moved = await rows.advance();
      if (moved !== undefined) turns++;
      await clear();
      expect(moved?.operation.status).toBe('completed');
    });
    expect(turns).toBeLessThanOrEqual(600 / 100 + 2);
    expect(await find(operationId, webhook.userId)).toMatchObject({ sent: 600, skipped: 0 });
  });

  it('is counted beside, page by page, wherever it has come meanwhile', async () => {
    const { webhook, begin, rows, clear } = await withEnded('exhausted', 450);
    const { pool } = database();
    const { operationId } = await begin(['exhausted']);
    const counted = async () => {
      expect(await countRunning(pool, 60)).toBe(true);
      return find(operationId, webhook.userId);
    };
    expect(await counted()).toMatchObject({ count: 60, isExact: false });
    expect(await counted()).toMatchObject({ count: 120, isExact: false });
    await eventually(async () => {
      await rows.advance();
      await clear();
      expect((await find(operationId, webhook.userId))?.sent).toBeGreaterThan(120);
    });
    const { sent = 0 } = (await find(operationId, webhook.userId)) ?? {};
    expect(await counted()).toMatchObject({ count: sent + 60, isExact: false });
    while (await countRunning(pool, 60));
    const found = await find(operationId, webhook.userId);
    expect(found).toMatchObject({ status: 'running', count: 450, isExact: true });
    await replays(pool).cancel(webhook.userId, operationId);
  });

  it('waits while its user has had as many bytes sent as may be, and tells until when', async () => {
    const { webhook, begin, rows, pending } = await withEnded('exhausted', 12);
    const { pool } = database();
    const { userId } = webhook;
    const uses = BUDGET_WINDOWS.map(({ windowS }) =>
      sharedUse({ pool, windowMs: windowS * 1_000, worthTelling: 1 }),
    );
    const budget = byteBudget(uses);
    const { operationId } = await begin(['exhausted']);
    budget.add(userId, budget.leftForReplays(userId).bytes - 1_024);
    const found = async () => find(operationId, userId);
    await eventually(async () => {
      await rows.advance(budget);
      expect((await found())?.waitsUntil?.getTime()).toBeGreaterThan(Date.now());
    });
    const sent = (await pending()).length;
    expect([1, 2, 3, 4, 5]).toContain(sent);
    expect(await found()).toMatchObject({ status: 'running', sent, skipped: 0 });
    // No replica tries meanwhile, whatever it has heard of the bytes.
    for (let n = 0; n < 3; n++) await rows.advance();
    expect(await found()).toMatchObject({ sent });
    // Single requests have what replays leave.
    budget.spend(userId, 1_024);

    await pool.query('update operations set waits_until = now() where operation_id = $1', [
      toStoredId(operationId),
    ]);
    await advanceUntilEnd(rows, operationId, userId);
    const done = { status: 'completed', sent: 12, waitsUntil: null };
    expect(await found()).toMatchObject(done);
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

  it('is listed for its user alone, the newest first, page by page', async () => {
    const { webhook, begin, rows } = await withEnded('exhausted', 1);
    const begun: string[] = [];
    for (let n = 0; n < 3; n++) {
      const { operationId } = await begin(['exhausted']);
      begun.unshift(operationId);
      await advanceUntilEnd(rows, operationId, webhook.userId);
    }
    const { page } = replays(database().pool);
    const first = await page(webhook.userId, webhook.webhookId, { limit: 2 });
    const last = await page(webhook.userId, undefined, { limit: 2, after: first.nextAfter });
    expect([...first.items, ...last.items].map(({ operationId }) => operationId)).toEqual(begun);
    expect(last.nextAfter).toBeUndefined();
    expect((await page(webhook.userId, newId('wh'), { limit: 2 })).items).toEqual([]);
    expect((await page(randomUUID(), webhook.webhookId, { limit: 2 })).items).toEqual([]);
  });

  it('waits for transactions that were under way when it was asked for', async () => {
    const { webhook, begin, rows } = await withEnded('exhausted', 1);
    const { operationId, early } = await duringAnother(database(), async () => {
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

const find = (operationId: string, userId: string) =>
  replays(database().pool).find(userId, operationId);

async function advanceUntilEnd(
  rows: { readonly advance: () => Promise<unknown> },
  operationId: string,
  userId: string,
): Promise<void> {
  await eventually(async () => {
    await rows.advance();
    expect((await find(operationId, userId))?.status).not.toBe('running');
  });
}

const withEnded = (...ended: [ReplayableOutcome, number]) => endedDeliveries(database(), ...ended);
