import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { useDatabase } from '@junction/testing';
import { onPostgres } from '../../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../../test/schema.js';
import { live } from '../../../application/live/live.js';
import type { LiveEntry } from '../../../application/live/ports.js';
import { liveTail } from './live-tail.js';

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

describe('the live tail', () => {
  it('keeps what happens to a user who listens, in order, and nothing of others', async () => {
    const rows = tailOf();
    const [listener, other] = [randomUUID(), randomUUID()];
    await rows.append([entry(listener, 0)]);
    await rows.listen(listener, 'deliveries');
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => rows.append([entry(listener, n), entry(other, n)])),
    );
    const read = await rows.read(listener, { ...DELIVERIES, after: '0', limit: 100 });
    expect(read).toHaveLength(20);
    expect(await rows.lastId(listener)).toBe(read.at(-1)?.id);
    expect(await rows.read(other, { ...DELIVERIES, after: '0', limit: 100 })).toEqual([]);
    const rest = await rows.read(listener, { ...DELIVERIES, after: read[9]?.id ?? '', limit: 100 });
    expect(rest).toEqual(read.slice(10));
    const elsewhere = { ...DELIVERIES, after: '0', limit: 100, webhookId: newId('wh') };
    expect(await rows.read(listener, elsewhere)).toEqual([]);
  });

  it('knows which numbers it has given, of rows that are gone too', async () => {
    const rows = tailOf();
    const userId = randomUUID();
    await rows.listen(userId, 'deliveries');
    await rows.append([entry(userId, 1)]);
    const last = await rows.lastId(userId);
    await database().pool.query('delete from live_tail where user_id = $1', [userId]);
    expect(await rows.hasReached('0')).toBe(true);
    expect(await rows.hasReached(last)).toBe(true);
    expect(await rows.hasReached('9'.repeat(18))).toBe(false);
  });

  it('shows no entry before an earlier one, whoever commits first', async () => {
    const { pool } = database();
    const rows = tailOf();
    const userId = randomUUID();
    await rows.listen(userId, 'deliveries');
    const slow = await pool.connect();
    await slow.query('begin');
    await slow.query('select from live_listeners where user_id = $1 for update', [userId]);
    const overtaking = rows.append([entry(userId, 2)]);
    await slow.query(
      `insert into live_tail (user_id, webhook_id, type, data) values ($1, $1, 'first', '{}')`,
      [userId],
    );
    expect(await rows.read(userId, { ...DELIVERIES, after: '0', limit: 10 })).toEqual([]);
    await slow.query('commit');
    slow.release();
    await overtaking;
    const read = await rows.read(userId, { ...DELIVERIES, after: '0', limit: 10 });
    expect(read.map(({ type }) => type)).toEqual(['first', 'delivery.attempted']);
  });

  it('keeps events for who listens to events, their bodies sealed', async () => {
    const rows = tailOf();
    const userId = randomUUID();
    const event = {
      userId,
      webhookId: newId('wh'),
      type: 'event.received',
      data: {},
      body: Buffer.from('Dear Ada'),
    };
    await rows.listen(userId, 'deliveries');
    expect(await listenerOf(rows, userId)).toMatchObject({ events: false });
    await rows.listen(userId, 'events');
    await rows.listen(userId, 'deliveries');
    expect(await listenerOf(rows, userId)).toMatchObject({ events: true });
    await rows.append([event, entry(userId, 1)]);
    const stored = await database().pool.query<{ body: Buffer | null }>(
      'select body from live_tail where user_id = $1 order by id',
      [userId],
    );
    expect(stored.rows.map(({ body }) => body?.includes('Ada'))).toEqual([false, undefined]);
    expect(await rows.read(userId, EVENTS)).toEqual([expect.objectContaining(event)]);
    expect(await rows.read(userId, { ...EVENTS, topic: 'deliveries' })).toHaveLength(1);
  });

  it('costs nothing while nobody listens', async () => {
    const rows = tailOf();
    const notifier = { notify() {}, listen: () => () => undefined };
    const tail = live(rows, notifier, (error) => {
      throw error;
    });
    let isAsked = false;
    tail.tell('deliveries', [randomUUID()], () => {
      isAsked = true;
      return [];
    });
    expect(isAsked).toBe(false);
  });
});

const listenerOf = async (rows: ReturnType<typeof tailOf>, userId: string) =>
  (await rows.listeners()).find((one) => one.userId === userId);

const DELIVERIES = { topic: 'deliveries' } as const;
const EVENTS = { topic: 'events', after: '0', limit: 100 } as const;

const tailOf = () => {
  const { unlock, openSealed } = onPostgres(database());
  const tail = liveTail(database().pool, { unlock, openSealed });
  return { ...tail, ...tail.reading(new AbortController().signal) };
};

const entry = (userId: string, n: number): LiveEntry => ({
  userId,
  webhookId: newId('wh'),
  type: 'delivery.attempted',
  data: { n },
});
