import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { eventually, useDatabase } from '@junction/testing';
import type pg from 'pg';
import { onPostgres, plenty } from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import { advanceReplay } from '../../../application/replaying/advance-replay.js';
import type { ReplaySpan } from '../../../application/replaying/ports.js';
import { toStoredId } from '../stored-id.js';
import { countReplay } from './count-replay.js';
import { candidates } from './replay-candidates.js';
import { replays } from './replays.js';

/** More than are counted in one statement. */
const MANY = 12_000;
/** Not a divisor of all of them. */
const PAGE = 1_777;
const HOUR_MS = 3_600_000;
const database = useDatabase(dispatcherSchema);
const span: ReplaySpan = {
  from: new Date(Date.now() - HOUR_MS),
  to: new Date(),
  outcomes: ['exhausted'],
};
const WANTED = [
  ['what failed', span],
  ['everything', { ...span, outcomes: ['exhausted', 'succeeded'] }],
] as const;
let webhook: Filled;
/** So many were filed by now: no two have the same id. */
let filled = 0;
/** Ids of all deliveries that are to be sent again, in their order. */
let ids: readonly string[];

beforeAll(async () => {
  const { prepare, newWebhook } = onPostgres(database());
  await prepare();
  webhook = await newWebhook();
  await fill(webhook, MANY);
  ids = await idsOf(webhook);
});

describe('the deliveries of a large replay', () => {
  it('are counted one by one, whatever statement finds them', async () => {
    const count = countReplay(database().pool, Number.POSITIVE_INFINITY);
    const all = { count: MANY, isExact: true };
    expect(await count(webhook.webhookId, span)).toEqual(all);
    const outcomes = ['exhausted', 'succeeded'] as const;
    expect(await count(webhook.webhookId, { ...span, outcomes })).toEqual(all);
  });

  it('are at least so many when the time for counting is over', async () => {
    const count = countReplay(database().pool, 0);
    const { count: counted, isExact } = await count(webhook.webhookId, span);
    expect(isExact).toBe(false);
    expect(counted).toBeGreaterThan(0);
    expect(counted).toBeLessThan(MANY);
  });

  it('are counted for two at once, while some wait, and the next is told to come back', async () => {
    const count = countReplay(database().pool, 0);
    const asked = Array.from({ length: 2 + 20 + 1 }, async () => count(webhook.webhookId, span));
    const answers = await Promise.allSettled(asked);
    expect(answers.pop()).toMatchObject({ reason: { kind: 'rate_limited', code: 'too_busy' } });
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(2 + 20);
  });

  it.each(WANTED)(
    'come page by page, each once and none left out, when %s is wanted',
    async (_, one) => {
      const found: string[] = [];
      for (;;) {
        const after = found.at(-1) ?? null;
        const page = await inTransaction(database().pool, (tx) =>
          candidates(tx, webhook.webhookId, one, after, PAGE),
        );
        found.push(...page.map(({ deliveryId }) => deliveryId));
        if (page.length < PAGE) break;
      }
      // Not as a whole: of so many a difference would take minutes to print.
      expect(found).toHaveLength(MANY);
      expect(found.findIndex((id, index) => id !== ids[index])).toBe(-1);
    },
  );

  it.each(WANTED)(
    'are found by an index, however many pages the connection has read, when %s is wanted',
    async (_, one) => {
      await inTransaction(database().pool, async (tx) => {
        const page = async () => candidates(tx, webhook.webhookId, one, null, 100);
        for (let n = 0; n < 10; n++) await page();
        const before = await rowsReadIn(tx);
        expect(await page()).toHaveLength(100);
        expect((await rowsReadIn(tx)) - before).toBeLessThan(MANY / 10);
      });
    },
  );

  it('do not end where retention has taken a day, and its outcomes not yet', async () => {
    const { pool } = database();
    const { newWebhook, unitOfWork } = onPostgres(database());
    const other = await newWebhook();
    await fill(other, 750);
    const all = await idsOf(other);
    await pool.query('delete from deliveries where delivery_id = any ($1::uuid[])', [
      all.slice(0, 700).map(toStoredId),
    ]);
    const { operationId } = await replays(pool).begin(newId('op'), other, span);
    // The replay starts when every transaction that was under way has ended, in other databases too.
    await eventually(async () => {
      await unitOfWork.inTransaction((tx) => advanceReplay(tx, plenty()));
      const ended = await replays(pool).find(other.userId, operationId);
      expect(ended).toMatchObject({ status: 'completed', count: 50, sent: 50 });
    });
    const { rows } = await pool.query<{ original_id: string }>(
      'select original_id from redeliveries where user_id = $1 order by original_id',
      [other.userId],
    );
    expect(rows.map((row) => `dlv_${row.original_id}`)).toEqual(all.slice(700));
  });
});

interface Filled {
  readonly userId: string;
  readonly webhookId: string;
}

/** A millisecond after the other, in turns filed under today and tomorrow. */
async function fill({ userId, webhookId }: Filled, many: number): Promise<void> {
  const { pool } = database();
  const about = [toStoredId(webhookId), userId, span.from.getTime(), many, filled];
  filled += many;
  await pool.query(
    `with made as (
       select n, (now() at time zone 'utc')::date + n % 2 as day,
              (lpad(to_hex($3::bigint + n), 12, '0') || '70008000' || lpad(to_hex($5::int + n), 12, '0'))::uuid
                as delivery_id
         from generate_series(0, $4::int - 1) n
     ), filed as (
       insert into deliveries (day, delivery_id, message_id, webhook_id, user_id, kind, body)
       select day, delivery_id, gen_random_uuid(), $1, $2, 'draft.created', '{}'
         from made
     )
     insert into outcomes (day, delivery_id, webhook_id, status, at)
     select day, delivery_id, $1, 'exhausted', now() from made`,
    about,
  );
  await pool.query('analyze deliveries, outcomes');
}

/** So many rows of all tables this transaction has looked at by now. */
async function rowsReadIn(tx: pg.ClientBase): Promise<number> {
  const { rows } = await tx.query<{ read: number }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read
       from pg_stat_xact_user_tables`,
  );
  return rows[0]?.read ?? 0;
}

async function idsOf({ webhookId }: Filled): Promise<readonly string[]> {
  const { rows } = await database().pool.query<{ delivery_id: string }>(
    `select delivery_id from deliveries
      where webhook_id = $1 and original_id is null order by delivery_id`,
    [toStoredId(webhookId)],
  );
  return rows.map((row) => `dlv_${row.delivery_id}`);
}
