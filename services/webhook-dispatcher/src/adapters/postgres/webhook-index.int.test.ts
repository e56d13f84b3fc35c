import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
import type pg from 'pg';
import { eventOf, onPostgres, takeInWithin } from '../../../test/on-postgres.js';
import { dispatcherSchema } from '../../../test/schema.js';
import type { IntakeKeys } from './intake/intake-rows.js';
import { toStoredId } from './stored-id.js';
import { WebhookIndex } from './webhook-index.js';

const database = useDatabase(dispatcherSchema);
beforeAll(() => onPostgres(database()).prepare());

/** Each is met by four who take events in. */
const CHANGES = 12;

/** Two replicas, each with an index of its own, over one database. */
const replicas = () => [onPostgres(database()), onPostgres(database())] as const;

describe('a replica that knows a user', () => {
  it('takes events in without a read of webhooks or keys', async () => {
    const [here] = replicas();
    expect(await statementsOf(here)).toEqual(['intake_news', 'record_events']);
  });

  it('matches with a webhook that was configured through another one', async () => {
    const [here, there] = replicas();
    const { userId } = await here.newWebhook();
    expect(await here.takeIn([eventOf(userId)])).toHaveLength(1);
    const second = await there.newWebhook(userId);
    const jobs = await here.takeIn([eventOf(userId)]);
    expect(jobs.map(({ webhookId }) => webhookId)).toContain(second.webhookId);
    expect(jobs).toHaveLength(2);
  });

  it('matches with the first webhook of a user it knew to have none', async () => {
    const [here, there] = replicas();
    const userId = randomUUID();
    expect(await here.takeIn([eventOf(userId)])).toEqual([]);
    await there.newWebhook(userId);
    expect(await here.takeIn([eventOf(userId)])).toHaveLength(1);
  });

  it('sends nothing to a webhook that was disabled, and files nothing for one that was deleted', async () => {
    const [here, there] = replicas();
    const { userId, webhookId } = await here.newWebhook();
    await here.takeIn([eventOf(userId)]);
    await there.handle(webhookId, { type: 'ChangeWebhook', data: { enabled: false, ...kept() } });
    const held = eventOf(userId);
    expect(await here.takeIn([held])).toEqual([]);
    expect(await verdictsOf(held.messageId)).toEqual({ [webhookId]: 'held' });

    await there.handle(webhookId, { type: 'DeleteWebhook', data: { reason: 'user', ...at() } });
    const last = eventOf(userId);
    expect(await here.takeIn([last])).toEqual([]);
    expect(await verdictsOf(last.messageId)).toEqual({});
  });

  it('forgets a user who was deleted, key and all', async () => {
    const [here, there] = replicas();
    const { userId } = await here.newWebhook();
    await here.takeIn([eventOf(userId)]);
    expect(here.index.dataKeys([userId]).size).toBe(1);

    await there.deleteUser(userId);
    await here.takeIn([eventOf(randomUUID())]);
    expect(here.index.dataKeys([userId]).size).toBe(0);
    expect(await here.takeIn([eventOf(userId)])).toEqual([]);
  });

  it('goes on knowing them while the webhooks of others change', async () => {
    const [here, there] = replicas();
    expect(await statementsOf(here, () => there.newWebhook())).toEqual([
      'intake_news',
      'record_events',
    ]);
  });

  it('starts anew when changes are too many to be listed, or no longer stored', async () => {
    const [here, there] = replicas();
    const { pool } = database();
    const { userId } = await here.newWebhook();
    await here.takeIn([eventOf(userId)]);
    await pool.query(
      `insert into webhook_changes (version, user_id)
       select version + n, gen_random_uuid() from webhook_index, generate_series(1, 1500) n`,
    );
    await pool.query('update webhook_index set version = version + 1500');
    expect(await here.takeIn([eventOf(userId)])).toHaveLength(1);

    await there.newWebhook(userId);
    await pool.query('truncate webhook_changes');
    expect(await here.takeIn([eventOf(userId)])).toHaveLength(2);
  });

  it('keeps no key of a transaction that was rolled back', async () => {
    const replica = onPostgres(database());
    const { pool } = database();
    const { userId } = await replica.newWebhook();
    await pool.query('delete from data_keys where subject = $1', [userId]);
    const rolledBack = inTransaction(pool, async (tx) => {
      // Twice: the second batch would find the key that the first one has made.
      for (const _ of [1, 2]) await takeInWithin(tx, replica, [eventOf(userId)]);
      throw new Error('Something else went wrong.');
    });
    await expect(rolledBack).rejects.toThrow('Something else went wrong.');
    const [job] = await replica.takeIn([eventOf(userId)]);

    const { rows } = await pool.query<{ body: Buffer }>(
      'select body from deliveries where delivery_id = $1',
      [toStoredId(job?.deliveryId ?? '')],
    );
    const keys = await replica.unlock([userId]);
    const place = `deliveries/body/${job?.deliveryId}`;
    expect(keys.open(userId, rows[0]?.body ?? Buffer.of(), place)).toEqual(job?.body);
  });
});

describe('an answer that was read before a change, and comes after it', () => {
  it('is not remembered by a replica that has learned of the change meanwhile', async () => {
    const [here] = replicas();
    const { userId } = await here.newWebhook();
    await here.takeIn([eventOf(userId)]);
    const { index, held } = slowIndex();
    await index.look([randomUUID()]);

    const late = await held(() => index.look([userId]));
    await here.newWebhook(userId);
    // The index learns of the new webhook through an event of another user.
    await takeInWith({ ...here, index }, randomUUID());
    await late();
    expect(await takeInWith({ ...here, index }, userId)).toHaveLength(2);
  });

  it('is not taken for newer by news that begin after it', async () => {
    const [here] = replicas();
    const { userId } = await here.newWebhook();
    await here.takeIn([eventOf(userId)]);
    const { index, held } = slowIndex();

    const late = await held(() => index.look([userId]));
    await here.newWebhook(userId);
    const { version: since } = await index.look([randomUUID()]);
    index.learn({ since, version: since, changed: undefined });
    await late();
    await here.newWebhook();
    index.learn({ since, version: since + 1, changed: [] });
    expect(await takeInWith({ ...here, index }, userId)).toHaveLength(2);
  });
});

it('an event is matched with every webhook that was configured before it came, whoever else is at work', async () => {
  const [here, there] = replicas();
  const users = Array.from({ length: 3 }, () => randomUUID());
  const configured = new Map<string, Set<string>>(users.map((userId) => [userId, new Set()]));
  let changes = CHANGES;

  const configure = async () => {
    while (changes-- > 0) {
      const userId = users[changes % users.length] ?? '';
      const { webhookId } = await here.newWebhook(userId);
      configured.get(userId)?.add(webhookId);
    }
  };
  const takeEvents = async ({ takeIn }: ReturnType<typeof onPostgres>) => {
    for (let n = 0; changes > 0 || n < 10; n++) {
      const before = users.map((userId) => [...(configured.get(userId) ?? [])]);
      const events = users.map((userId) => eventOf(userId));
      await takeIn(n % 2 === 0 ? events : events.toReversed());
      for (const [index, { messageId }] of events.entries()) {
        expect(Object.keys(await verdictsOf(messageId))).toEqual(
          expect.arrayContaining(before[index] ?? []),
        );
      }
    }
  };
  await Promise.all([configure(), ...[here, here, there, there].map(takeEvents)]);
  expect([...configured.values()].reduce((sum, { size }) => sum + size, 0)).toBe(CHANGES);
});

const at = () => ({ at: new Date().toISOString() });
const kept = () => ({ secret: 'keep', ...at() }) as const;

async function verdictsOf(messageId: string): Promise<Record<string, string>> {
  const { rows } = await database().pool.query<{ verdicts: Record<string, string> }>(
    'select verdicts from seen_events where message_id = $1',
    [toStoredId(messageId)],
  );
  return rows[0]?.verdicts ?? {};
}

type Replica = ReturnType<typeof onPostgres>;

const takeInWith = (keys: IntakeKeys, userId: string) =>
  inTransaction(database().pool, (tx) => takeInWithin(tx, keys, [eventOf(userId)]));

/** An index whose reads can be held up between the database's answer and its own. */
function slowIndex() {
  const { pool } = database();
  let end: Promise<void> | undefined;
  let reads: Promise<unknown>[] = [];
  const query = (async (...args: Parameters<typeof pool.query>) => {
    const until = end;
    // The overloads of `query` hide that it returns a promise.
    const read = pool.query(...args) as unknown as Promise<unknown>;
    reads.push(read);
    const rows = await read;
    await until;
    return rows;
  }) as unknown as typeof pool.query;
  return {
    index: new WebhookIndex({ query }),

    /** Returns once the database has answered; what it gives lets the answer through. */
    async held(look: () => Promise<unknown>): Promise<() => Promise<unknown>> {
      let letThrough = () => {};
      end = new Promise((resolve) => void (letThrough = resolve));
      reads = [];
      const looking = look();
      end = undefined;
      await Promise.all(reads);
      return () => {
        letThrough();
        return looking;
      };
    },
  };
}

/** Takes an event in, and gives the names of the statements of the next. */
async function statementsOf(replica: Replica, between: () => Promise<unknown> = nothing) {
  const { pool } = database();
  const names: unknown[] = [];
  const heard = (db: Pick<pg.Pool, 'query'>) => ({
    query: ((...args: Parameters<typeof db.query>) => {
      names.push((args[0] as { readonly name?: string }).name);
      return db.query(...args);
    }) as typeof db.query,
  });
  const index = new WebhookIndex(heard(pool));
  const { userId } = await replica.newWebhook();
  const { unlock } = replica;
  const once = () =>
    inTransaction(pool, (tx) =>
      takeInWithin(heard(tx) as pg.PoolClient, { unlock, index }, [eventOf(userId)]),
    );
  expect(await once()).toHaveLength(1);
  await between();
  names.length = 0;
  expect(await once()).toHaveLength(1);
  return names;
}

const nothing = async () => undefined;
