import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { eventually, useDatabase } from '@junction/testing';
import {
  duringAnother,
  endedDeliveries,
  NUMBERED_AHEAD,
} from '../../../../test/ended-deliveries.js';
import { eventOf, onPostgres } from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import { advanceReplay } from '../../../application/replaying/advance-replay.js';
import type { ReplayableOutcome } from '../../../application/replaying/ports.js';
import { toStoredId } from '../stored-id.js';
import { postgresUnitOfWork } from '../unit-of-work.js';
import { replays } from './replays.js';

const database = useDatabase(dispatcherSchema);

beforeAll(() => onPostgres(database()).prepare());

describe('a replay', () => {
  it('sends each delivery of the span once, whatever replicas move it and whenever one fails', async () => {
    const { webhook, ids, begin, rows, pending, clear } = await withEnded('succeeded', 230);
    const begun = await begin(['succeeded']);
    expect(begun).toMatchObject({ count: 230, isExact: true, status: 'running', progress: 0 });
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
      expect(broken.inTransaction(advanceReplay)).rejects.toThrow('ends here'),
    );

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

  it('goes on while nothing makes room, and runs once at a time', async () => {
    const { webhook, begin, rows, pending } = await withEnded('exhausted', 120);
    const { requireNone } = replays(database().pool);
    await requireNone(webhook.webhookId);
    const { operationId } = await begin(['exhausted']);
    const underWay = { kind: 'conflict', code: 'replay_under_way' };
    await expect(requireNone(webhook.webhookId)).rejects.toMatchObject(underWay);
    await expect(begin(['exhausted'])).rejects.toMatchObject(underWay);
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
    await requireNone(webhook.webhookId);
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
