import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import type pg from 'pg';
import { FROM_END_TO_END, fillDay, idAt, tablesRead } from '../../../../test/filled-deliveries.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import type { DeliveryFilter, EventFilter } from '../../http/history/history-schemas.js';
import { unsentCounts } from '../statistics/unsent-counts.js';
import { webhookHours } from '../statistics/webhook-hours.js';
import { deliveryLog } from './delivery-log.js';
import { deliveryPage } from './delivery-page.js';
import { EVENTS_SCANNED_MAX, eventLog } from './event-log.js';
import { containing, OPENED_BYTES_MAX } from './text-search.js';

const database = useDatabase(dispatcherSchema);
const WEBHOOK = `wh_${randomUUID()}`;
const USER = WEBHOOK.slice('wh_'.length);
const OTHER = `wh_${randomUUID()}`;
const FIRST_DAY = Date.UTC(2020, 0, 1);
const DAYS = 5;
const PER_DAY = 6_000;
const DAY_MS = 86_400_000;
const EXHAUSTED_EVERY = 2_000;
const SETUP_MS = 120_000;
const ITS_DAY = ['20200103'];
const EVERY_DAY = ['20200101', '20200102', '20200103', '20200104', '20200105'];
const AROUND_IT = ['20200102', '20200103', '20200104'];

beforeAll(async () => {
  const filled = {
    webhookId: WEBHOOK,
    userId: USER,
    perDay: PER_DAY,
    exhaustedEvery: EXHAUSTED_EVERY,
  };
  for (let day = 0; day < DAYS; day++) await fillDay(database().pool, timeOf(day, 0), filled);
  await database().pool.query(
    'analyze seen_events, deliveries, attempts, outcomes, pending, webhook_hours',
  );
}, SETUP_MS);

describe('a page of deliveries', () => {
  it('holds the moments from (inclusive) to (exclusive), read from the days around them alone', async () => {
    const span = { from: new Date(timeOf(3, 10)), to: new Date(timeOf(3, 20)) };
    const { items, nextAfter } = await page({ limit: 50, ...span });
    expect(items.map((item) => item.created_at.getTime()).toReversed()).toEqual(
      Array.from({ length: 10 }, (_, n) => timeOf(3, 10 + n)),
    );
    expect(nextAfter).toBeUndefined();
    const read = await tablesRead(database().pool, pageOf({ limit: 50, ...span }));
    expect(daysOf(read)).toEqual(['20200103', '20200104', '20200105']);
  });

  it('looks at some thousands at most when few fit, and leads on', async () => {
    const filter = { limit: 10, event_type: 'reminder.sent' } as const;
    const found: string[] = [];
    let pages = 0;
    let after: string | undefined;
    do {
      const { items, nextAfter } = await page({ ...filter, cursor: after });
      found.push(...items.map(({ delivery_id }) => delivery_id));
      after = nextAfter;
      pages++;
    } while (after !== undefined);
    expect(new Set(found).size).toBe(DAYS);
    expect(found).toHaveLength(DAYS);
    expect(pages).toBeGreaterThan((DAYS * PER_DAY) / 5_000);
  });

  it.each<[DeliveryFilter['status'], number]>([
    [['exhausted', 'refused'], (DAYS * PER_DAY) / EXHAUSTED_EVERY],
    [['pending', 'retrying'], DAYS],
    [['retrying', 'exhausted'], DAYS + (DAYS * PER_DAY) / EXHAUSTED_EVERY],
    [['succeeded', 'exhausted'], 100],
  ])('holds those of one of several statuses: %j', async (status = [], count) => {
    const { items } = await page({ limit: 100, status });
    expect(items).toHaveLength(count);
    for (const item of items) expect(status).toContain(item.status);
  });

  it.each<[number, readonly string[]]>([
    [1, ['20200101', '20200102', '20200103']],
    [4, ['20200102', '20200103', '20200104', '20200105']],
  ])('looks at little more than it shows, in the days before its cursor: %d', async (day, days) => {
    const read = await tablesRead(
      database().pool,
      pageOf({ limit: 50, cursor: deliveryOf(day, 77) }),
    );
    expect(daysOf(read)).toEqual(days);
    expect(read.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(500);
  });

  it.each<DeliveryFilter>([
    { limit: 50 },
    { limit: 50, status: ['succeeded'] },
    { limit: 50, status: ['exhausted'] },
    { limit: 50, status: ['retrying'] },
    { limit: 50, status: ['pending', 'retrying'] },
    { limit: 50, status: ['exhausted', 'refused'] },
    { limit: 50, event_type: 'reminder.sent' },
  ])('reads no table from end to end: %j', async (filter) => {
    expect(await tablesRead(database().pool, pageOf(filter))).not.toContainEqual(FROM_END_TO_END);
  });

  it('finds a text in the bodies, in any case, however far back, until the page is full', async () => {
    const wanted = [PER_DAY - 3, PER_DAY - 700].map((n) => uuidOf(DAYS - 1, n));
    wanted.push(uuidOf(0, 5));
    await setBody('{"to":"Ada@Example.com"}', wanted);
    const filter = { limit: 2, text: 'ada@example.COM', searchedMs: 60_000 } as const;
    const first = await page(filter);
    expect(idsOf(first)).toEqual(wanted.slice(0, 2));
    const rest = await page({ ...filter, cursor: first.nextAfter });
    expect(idsOf(rest)).toEqual(wanted.slice(2));
    expect(rest.nextAfter).toBeUndefined();
    expect(await page({ ...filter, text: 'HTTP_503', status: ['exhausted'] })).toEqual({
      items: [],
    });
    const ofKind = await page({ limit: 10, text: 'Draft.', status: ['retrying'] });
    expect(ofKind.items).toHaveLength(DAYS);
    const read = await tablesRead(database().pool, pageOf({ limit: 2, text: filter.text }));
    expect(read).not.toContainEqual(FROM_END_TO_END);
  });

  it('looks for a text for some seconds at most, and leads on from where it ended', async () => {
    const wanted = uuidOf(DAYS - 1, PER_DAY - 700);
    await setBody('{"to":"grace@example.com"}', [wanted]);
    const filter = { limit: 10, text: 'grace@', searchedMs: 0 } as const;
    const found: string[] = [];
    let pages = 0;
    let after: string | undefined;
    do {
      const one = await page({ ...filter, cursor: after });
      found.push(...idsOf(one));
      after = one.nextAfter;
      pages++;
    } while (found.length === 0);
    expect(found).toEqual([wanted]);
    expect(pages).toBeGreaterThan(10);
    expect(after).toBeDefined();
  });

  it('has a quarter of a megabyte of bodies in memory at most while it looks for a text', async () => {
    const large = Array.from({ length: 12 }, (_, n) => uuidOf(DAYS - 1, PER_DAY - 20 - n));
    await setBody('x'.repeat(OPENED_BYTES_MAX / 4), large);
    const together: number[] = [];
    const holding = containing(database().pool, async (rows) => {
      together.push(rows.reduce((sum, { bytes }) => sum + bytes.length, 0));
      return rows.map(({ bytes }) => bytes);
    });
    const filter = { limit: 50, text: 'xxx', to: new Date(timeOf(DAYS - 1, PER_DAY)) };
    const found = await deliveryPage({ db: database().pool, holding }, [WEBHOOK], filter);
    expect(idsOf(found)).toEqual(large);
    expect(Math.max(...together)).toBeLessThanOrEqual(OPENED_BYTES_MAX);
  });

  it.each(['Müller', 'müller', '😀', 'say "hi"', 'a/b', 'MU\u0308LLER', 'strasse', 'ISTANBUL'])(
    'finds %s, whether the producer has escaped it or not',
    async (text) => {
      // The third says that there is more, so that the search ends with a full page and not with its time.
      const ids = [PER_DAY - 10, PER_DAY - 11, PER_DAY - 12].map((n) => uuidOf(DAYS - 1, n));
      const plain = {
        name: 'Müller',
        q: 'say "hi"',
        e: '😀',
        p: 'a/b',
        s: 'Straße',
        i: 'İstanbul',
      };
      const json = JSON.stringify(plain);
      const codeOf = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
      const escaped = json.replaceAll('/', '\\/').replaceAll(/[^ -~]/g, codeOf);
      await setBody(json, ids.slice(0, 1));
      await setBody(escaped, ids.slice(1));
      expect(idsOf(await page({ limit: 2, text }))).toEqual(ids.slice(0, 2));
    },
  );

  it('finds an escape as it was sent', async () => {
    const ids = [PER_DAY - 12, PER_DAY - 13].map((n) => uuidOf(DAYS - 1, n));
    await setBody(String.raw`{"name":"M\u00fcnch"}`, ids);
    const found = await page({ limit: 1, text: String.raw`M\u00FCnch` });
    expect(idsOf(found)).toEqual(ids.slice(0, 1));
  });

  it("holds nothing of another webhook's", async () => {
    expect((await page({ limit: 10 }, OTHER)).items).toEqual([]);
  });
});

describe('a page of events of a kind', () => {
  it('looks at some thousand events at most, and leads on until all are found', async () => {
    const last = DAYS * PER_DAY;
    const wanted = [last, last - EVENTS_SCANNED_MAX + 1, last - EVENTS_SCANNED_MAX, 1].map((n) =>
      messageOf(Math.floor((n - 1) / PER_DAY), ((n - 1) % PER_DAY) + 1),
    );
    await database().pool.query(
      `update seen_events set kind = 'reminder.sent' where message_id = any ($1)`,
      [wanted.map((id) => id.slice('msg_'.length))],
    );
    const found: string[] = [];
    let pages = 0;
    let cursor: EventFilter['cursor'];
    do {
      const asked = { limit: 50, event_type: 'reminder.sent', cursor };
      const { items, nextAfter } = await eventLog(database().pool).page(USER, asked);
      found.push(...items.map(({ message_id }) => message_id));
      const [atMicros = '', messageId = ''] = nextAfter?.split('.') ?? [];
      cursor = nextAfter === undefined ? undefined : { atMicros, messageId };
      pages++;
    } while (cursor !== undefined);
    expect(found).toEqual(wanted);
    expect(pages).toBe(last / EVENTS_SCANNED_MAX + 1);
  });
});

describe('other reads of deliveries', () => {
  it.each<[string, Ask, readonly string[]]>([
    ['one of them', (pool) => logOf(pool).detail(USER, deliveryOf(2, 7)), AROUND_IT],
    ['an event', (pool) => eventLog(pool).detail(USER, messageOf(2, 7)), ITS_DAY],
    ['a page of events', (pool) => eventLog(pool).page(USER, { limit: 50 }), []],
    ['statistics', (pool) => webhookHours(pool).hours([WEBHOOK], SPAN), []],
    ['the last attempt', (pool) => webhookHours(pool).lastAttempts([WEBHOOK]), []],
    ['what is held', (pool) => unsentCounts(pool).unsent([WEBHOOK]), EVERY_DAY],
  ])('find %s by indexes, in its own days', async (_, ask, days) => {
    const read = await tablesRead(database().pool, ask);
    expect(read).not.toContainEqual(FROM_END_TO_END);
    expect(daysOf(read.filter(({ table }) => /^(deliver|attempt|outcome)/.test(table)))).toEqual(
      days,
    );
    expect(read.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(200);
  });
});

type Ask = (pool: pg.Pool) => Promise<unknown>;

const SPAN = { from: new Date(FIRST_DAY), to: new Date(FIRST_DAY) };

const pageOf =
  (filter: DeliveryFilter): Ask =>
  async (pool) =>
    deliveryPage(reading(pool), [WEBHOOK], filter);

/** Bodies of these tests are not sealed. */
const reading = (db: pg.Pool) => ({
  db,
  holding: containing(db, async (rows) => rows.map(({ bytes }) => bytes)),
});

const logOf = (pool: pg.Pool) => deliveryLog(pool, async (rows) => rows.map(() => undefined));

const uuidOf = (day: number, n: number): string => idAt(timeOf(day, n), n);
const deliveryOf = (day: number, n: number): string => `dlv_${uuidOf(day, n)}`;
/** An event of these tests has the id of its delivery. */
const messageOf = (day: number, n: number): string => `msg_${uuidOf(day, n)}`;

const page = (
  { searchedMs, ...filter }: DeliveryFilter & { readonly searchedMs?: number },
  webhookId = WEBHOOK,
) =>
  deliveryPage(
    { ...reading(database().pool), ...(searchedMs !== undefined && { searchedMs }) },
    [webhookId],
    filter,
  );

const idsOf = ({ items }: Awaited<ReturnType<typeof page>>) =>
  items.map(({ delivery_id }) => delivery_id.slice('dlv_'.length));

const setBody = (body: string, ids: readonly string[]) =>
  database().pool.query('update deliveries set body = $1 where delivery_id = any ($2)', [
    Buffer.from(body),
    ids,
  ]);

const timeOf = (day: number, n: number): number => FIRST_DAY + day * DAY_MS + n * 1_000;

const daysOf = (read: readonly { readonly table: string }[]): readonly string[] =>
  [...new Set(read.map(({ table }) => table.slice(-8)))].toSorted();
