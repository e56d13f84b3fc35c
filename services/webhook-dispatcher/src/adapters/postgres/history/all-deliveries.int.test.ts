import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import type pg from 'pg';
import { FROM_END_TO_END, fillDay, idAt, tablesRead } from '../../../../test/filled-deliveries.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import type { DeliveryPage, DeliverySummary } from '../../../application/history/ports.js';
import type { DeliveryFilter } from '../../http/history/history-schemas.js';
import { lowestIdAt } from '../stored-id.js';
import { deliveryLog } from './delivery-log.js';
import { SCANNED_MAX } from './delivery-page.js';

const database = useDatabase(dispatcherSchema);
const USER = randomUUID();
const newWebhookId = () => `wh_${randomUUID()}`;
const BUSY = [newWebhookId(), newWebhookId()] as const;
const QUIET = Array.from({ length: 18 }, newWebhookId);
const WEBHOOKS = [...BUSY, ...QUIET];
const STRANGER = newWebhookId();
const FIRST_DAY = Date.UTC(2020, 0, 1);
const DAY_MS = 86_400_000;
const DAYS = 4;
const BUSY_PER_DAY = 8_000;
const QUIET_PER_DAY = 20;
const EXHAUSTED_EVERY = 1_000;
const ALL_WAITING = WEBHOOKS.length * DAYS;
const ALL_EXHAUSTED = DAYS * (QUIET.length + (BUSY.length * BUSY_PER_DAY) / EXHAUSTED_EVERY);
const SETUP_MS = 120_000;
/**
 * Rows of the large tables that one page may read: every row that a step looks at, with the row beside it, and the rows
 * that are shown. The plan gives rows as a rounded mean over its loops, so the bound is not exact; all rows would be
 * 66,000.
 */
const READ_MAX = 2 * SCANNED_MAX + 2_000;

beforeAll(async () => {
  const { pool } = database();
  for (let day = 0; day < DAYS; day++) {
    for (const [n, webhookId] of [...WEBHOOKS, STRANGER].entries()) {
      const perDay = n < BUSY.length ? BUSY_PER_DAY : QUIET_PER_DAY;
      const filled = { webhookId, userId: USER, perDay, exhaustedEvery: EXHAUSTED_EVERY };
      await fillDay(pool, timeOf(day, n), filled);
    }
  }
  await pool.query('analyze seen_events, deliveries, attempts, outcomes, pending');
}, SETUP_MS);

describe('the deliveries of many webhooks', () => {
  it('are shown newest first, and cursors lead through all of them without a gap', async () => {
    const since = new Date(FIRST_DAY + (DAYS - 1) * DAY_MS);
    const to = new Date(since.getTime() + 60_000);
    const { items } = await readAll({ limit: 50, from: since, to });
    const { rows } = await database().pool.query<{ id: string }>(
      `select 'dlv_' || delivery_id as id from deliveries
        where 'wh_' || webhook_id = any ($1) and day = $2::date
          and delivery_id < $3::uuid order by delivery_id desc`,
      [WEBHOOKS, since, lowestIdAt(to).slice('dlv_'.length)],
    );
    expect(items.map(({ delivery_id }) => delivery_id)).toEqual(rows.map(({ id }) => id));
    expect(items.length).toBeGreaterThan(QUIET.length * QUIET_PER_DAY);
  });

  it.each<[string, DeliveryFilter, number]>([
    [
      'answered 5xx',
      { limit: 20, http_status: { min: 500, max: 599 } },
      ALL_WAITING + ALL_EXHAUSTED,
    ],
    ['answered 503', { limit: 20, http_status: { min: 503, max: 503 } }, ALL_EXHAUSTED],
    ['answered 4xx', { limit: 20, http_status: { min: 400, max: 499 } }, 0],
    ['exhausted', { limit: 20, status: ['exhausted'] }, ALL_EXHAUSTED],
    ['retrying', { limit: 20, status: ['retrying'] }, ALL_WAITING],
    [
      'exhausted by 500',
      { limit: 20, status: ['exhausted'], http_status: { min: 500, max: 500 } },
      0,
    ],
  ])('are found whole by indexes when they were %s', async (_, filter, count) => {
    const { items, read } = await readAll(filter);
    expect(items).toHaveLength(count);
    const ids = items.map(({ delivery_id }) => delivery_id);
    expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
    expect(items.map(({ webhook_id }) => webhook_id)).not.toContain(STRANGER);
    for (const rows of read) expect(rows).toBeLessThan(READ_MAX);
  });
});

describe('the deliveries of one message', () => {
  const message_id = `msg_${idAt(FIRST_DAY + DAY_MS + 7_000, 7)}`;
  const asked = { limit: 50, message_id };

  it('are found by its event while that is known', async () => {
    const read = await tablesRead(database().pool, (pool) => logOf(pool).page(WEBHOOKS, asked));
    expect(read).not.toContainEqual(FROM_END_TO_END);
    expect(read.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(5_000);
    const { items } = await logOf(database().pool).page(WEBHOOKS, asked);
    expect(items).toMatchObject([{ message_id, webhook_id: BUSY[0], response_status: 200 }]);
  });

  it.each<[string, readonly string[], Partial<DeliveryFilter>]>([
    ['of a stranger', [STRANGER], {}],
    ['of another status', WEBHOOKS, { status: ['exhausted'] }],
    ['of another time', WEBHOOKS, { from: new Date(FIRST_DAY + 2 * DAY_MS) }],
    ['below the cursor', WEBHOOKS, { cursor: message_id.replace('msg', 'dlv') }],
  ])('are not shown when they are %s', async (_, webhookIds, more) => {
    const page = await logOf(database().pool).page(webhookIds, { ...asked, ...more });
    expect(page).toEqual({ items: [], nextAfter: undefined, searchedBackTo: null });
  });

  it('are looked for among all once the event is forgotten', async () => {
    await database().pool.query('delete from seen_events where message_id = $1', [
      message_id.slice('msg_'.length),
    ]);
    const { items } = await readAll(asked);
    expect(items).toMatchObject([{ message_id }]);
  });
});

function timeOf(day: number, shiftMs: number): number {
  return FIRST_DAY + day * DAY_MS + shiftMs;
}

const logOf = (pool: pg.Pool) => deliveryLog(pool, async (rows) => rows.map(() => undefined));

/** Page by page to the end, and how many rows of the large tables each page read. */
async function readAll(filter: DeliveryFilter) {
  const items: DeliverySummary[] = [];
  const read: number[] = [];
  let cursor: string | undefined;
  do {
    let page: DeliveryPage = { items: [], nextAfter: undefined, searchedBackTo: null };
    const tables = await tablesRead(database().pool, async (pool) => {
      page = await logOf(pool).page(WEBHOOKS, { ...filter, cursor });
    });
    items.push(...page.items);
    read.push(tables.reduce((sum, { rows }) => sum + rows, 0));
    cursor = page.nextAfter;
  } while (cursor !== undefined);
  return { items, read };
}
