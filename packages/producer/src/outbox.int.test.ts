import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import { eventually, useDatabase } from '@junction/testing';
import { Client } from 'pg';
import { useAssistantEvents } from '../test/assistant-events.js';
import type { EventProducer } from './event-producer.js';
import { kafkaProducer } from './kafka-producer.js';
import { addToOutbox, OUTBOX_SQL } from './outbox.js';
import { type OutboxRelay, startOutboxRelay } from './outbox-relay.js';

const { brokers, prefix, seen } = useAssistantEvents(3);
const database = useDatabase(async (url) => {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(OUTBOX_SQL);
  await client.end();
});

describe('an event in the outbox', () => {
  it('is published when its transaction commits, and only then', async () => {
    const [kept, undone] = [randomUUID(), randomUUID()];
    await inTransaction('rollback', undone, ['a']);
    await inTransaction('commit', kept, ['b']);
    relay();

    await eventually(() => expect(idsOf(kept)).toEqual([`${kept}-b`]), WITHIN);
    await eventually(async () => expect(await rows()).toEqual([]), WITHIN);
    expect(idsOf(undone)).toEqual([]);
  });

  it('keeps its id, its time and the very bytes of its data', async () => {
    const userId = randomUUID();
    const time = new Date('2026-01-02T03:04:05.678Z');
    const data = Buffer.from(String.raw`{ "n": 1.0, "n": 2, "a": "é\u0000\ud800" }`);
    const added = await addToOutbox(database().pool, {
      type: 'draft.created',
      userId,
      data,
      time,
    });
    relay();

    const [record] = await eventually(() => {
      expect(recordsOf(userId)).toHaveLength(1);
      return recordsOf(userId);
    }, WITHIN);
    expect(record?.value).toEqual(data);
    expect(record?.headers).toMatchObject({ ce_id: added.id, ce_time: time.toISOString() });
  });

  it('may be written by SQL alone', async () => {
    const userId = randomUUID();
    await database().pool.query(
      `insert into junction_outbox (type, user_id, data)
       values ('draft.created', $1, json_build_object('draft_id', '17'))`,
      [userId],
    );
    relay();

    await eventually(() => expect(recordsOf(userId)).toHaveLength(1), WITHIN);
    expect(JSON.parse(String(recordsOf(userId)[0]?.value))).toEqual({ draft_id: '17' });
  });

  it('is refused before it is written when it breaks a rule', async () => {
    await expect(
      addToOutbox(database().pool, { type: 'draft.created', userId: 'me', data: {} }),
    ).rejects.toMatchObject({ name: 'InvalidEventError', code: 'ce_subject_invalid' });
    expect(await rows()).toEqual([]);
  });

  it('stays, with the rule it breaks, when SQL wrote what cannot be published', async () => {
    const userId = randomUUID();
    await database().pool.query(
      "insert into junction_outbox (type, user_id, data) values ('draft.deleted', $1, '{}')",
      [userId],
    );
    await inTransaction('commit', userId, ['next']);
    relay();

    await eventually(() => expect(idsOf(userId)).toEqual([`${userId}-next`]), WITHIN);
    const refused = await eventually(async () => {
      const left = await rows();
      expect(left).toHaveLength(1);
      return left;
    }, WITHIN);
    expect(refused[0]?.refused).toMatch(/^ce_type_unknown: type must be one of /);
    await database().pool.query('delete from junction_outbox');
  });
});

describe('relays', () => {
  it('publish the events of each user in the order in which they were written', async () => {
    const users = Array.from({ length: 8 }, () => randomUUID());
    const ids = Array.from({ length: 40 }, (_, index) => `${index}`);
    relay();
    relay();
    await Promise.all(
      users.map(async (user) => {
        for (const id of ids) {
          await inTransaction('commit', user, [id]);
          for (const each of relays) each.wake();
        }
      }),
    );

    for (const user of users) {
      const wanted = ids.map((id) => `${user}-${id}`);
      await eventually(() => expect(firstsOf(user)).toEqual(wanted), WITHIN);
    }
    await eventually(async () => expect(await rows()).toEqual([]), WITHIN);
  });

  it('go on in order after a failure, under the same ids', async () => {
    const userId = randomUUID();
    await inTransaction('commit', userId, ['a', 'b', 'c']);
    let failures = 2;
    const failed: unknown[] = [];
    relay(
      {
        publish: async (event) => {
          const published = await producer.publish(event);
          // The answer is lost: what Kafka has is published again.
          if (event.id?.endsWith('-b') && failures-- > 0) throw new Error('No answer.');
          return published;
        },
        close: async () => undefined,
      },
      (fields) => failed.push(fields),
    );

    const wanted = ['a', 'b', 'b', 'b', 'c'].map((id) => `${userId}-${id}`);
    await eventually(() => expect(idsOf(userId)).toEqual(wanted), WITHIN);
    await eventually(async () => expect(await rows()).toEqual([]), WITHIN);
    expect(failed).toHaveLength(2);
  });

  it('outlive the loss of their connection, and publish again what they had not deleted', async () => {
    const userId = randomUUID();
    await inTransaction('commit', userId, ['a']);
    const reached = deferred<void>();
    const goOn = deferred<void>();
    relay({
      publish: async (event) => {
        const published = await producer.publish(event);
        reached.resolve();
        await goOn.promise;
        return published;
      },
      close: async () => undefined,
    });
    await reached.promise;
    await database().pool.query(
      `select pg_terminate_backend(pid) from pg_locks
       where locktype = 'advisory' and pid <> pg_backend_pid()
         and database = (select oid from pg_database where datname = current_database())`,
    );
    goOn.resolve();

    const twice = [`${userId}-a`, `${userId}-a`];
    await eventually(() => expect(idsOf(userId)).toEqual(twice), WITHIN);
    await eventually(async () => expect(await rows()).toEqual([]), WITHIN);
  });
});

const WITHIN = { deadlineMs: 45_000 };
const relays: OutboxRelay[] = [];
let producer: EventProducer;

beforeAll(async () => {
  producer = await kafkaProducer({ brokers, source: 'outbox-test', topicPrefix: prefix });
});

afterEach(async () => {
  await Promise.all(relays.splice(0).map(async (each) => each.close()));
});

afterAll(async () => {
  await producer.close();
});

function relay(through = producer, onError: (fields: object) => void = () => undefined): void {
  const { pool } = database();
  const log = { warn: () => undefined, error: onError };
  relays.push(startOutboxRelay({ pool, producer: through, log, everyMs: 50 }));
}

async function inTransaction(end: 'commit' | 'rollback', userId: string, ids: readonly string[]) {
  const tx = await database().pool.connect();
  await tx.query('begin');
  for (const id of ids) {
    const event = { type: 'draft.created' as const, userId, data: {} };
    expect(await addToOutbox(tx, { ...event, id: `${userId}-${id}` })).toEqual({
      id: `${userId}-${id}`,
    });
  }
  await tx.query(end);
  tx.release();
}

const recordsOf = (userId: string) => seen.filter(({ key }) => key === userId);
const idsOf = (userId: string) => recordsOf(userId).map(({ headers }) => headers['ce_id']);
const firstsOf = (userId: string) => [...new Set(idsOf(userId))];

async function rows(): Promise<readonly { refused: string | null }[]> {
  const { rows } = await database().pool.query('select id, refused from junction_outbox');
  return rows;
}
