import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { begins, counterStore, eventStoreDatabase, newCounter } from '../../../test/counters.js';
import { StreamMovedError } from '../../index.js';
import { type Counted, counted } from '../../testing.js';
import { inTransaction } from '../transaction.js';
import { insertOutbox, type OutboxMessage, type Publish } from './outbox.js';

const LANES = 16;

const database = useDatabase(eventStoreDatabase);

describe('a published event', () => {
  it('stands in the outbox as a CloudEvent, named and dated like the event itself', async () => {
    const [streamId, userId] = [newCounter(), randomUUID()];
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const publish = () => ({ ...domainRecord(streamId, 7), subject: userId });
    const { events } = await openStore(publish).append([begins(streamId, 7)], {
      metadata: { traceparent },
    });

    expect(await outboxOf(streamId)).toEqual([
      {
        aggregatetype: 'counters.events.v1',
        aggregateid: streamId,
        type: 'counted',
        headers: {
          'content-type': 'application/json',
          traceparent,
          ce_specversion: '1.0',
          ce_id: events[0]?.eventId,
          ce_source: 'junction/test',
          ce_type: 'counted',
          ce_subject: userId,
          ce_time: events[0]?.recordedAt.toISOString(),
          ce_sequence: '1',
        },
        payload: Buffer.from('{"n":7}'),
      },
    ]);
  });

  it('may go to two topics, of which one counts', async () => {
    const streamId = newCounter();
    const notice = { ...domainRecord(streamId, 1), topic: 'user.events.v1', sequenced: false };
    const store = openStore((_, at) => [notice, domainRecord(at.streamId, 1)]);
    await store.append([{ streamId, expected: 'none', events: [counted(1), counted(2)] }]);

    const rows = await outboxOf(streamId);
    expect(
      rows.map(({ aggregatetype, headers }) => [aggregatetype, headers['ce_sequence']]),
    ).toEqual([
      ['user.events.v1', undefined],
      ['counters.events.v1', '1'],
      ['user.events.v1', undefined],
      ['counters.events.v1', '2'],
    ]);
  });

  it('is not published when it is not stored, nor again when its command is repeated', async () => {
    const [streamId, commandId] = [newCounter(), randomUUID()];
    const store = openStore(oddOnes);
    const moved = { streamId, expected: 5, events: [counted(1)] };
    await expect(store.append([moved])).rejects.toThrow(StreamMovedError);
    await store.append([begins(streamId, 1)], { commandId });
    await store.append([begins(streamId, 1)], { commandId });
    expect(await outboxOf(streamId)).toHaveLength(1);
  });
});

it('records without a stream are written in the transaction of the caller, without a counter', async () => {
  const key = `wh_${randomUUID()}`;
  const record = {
    topic: 'webhooks.events.v1',
    key,
    type: 'delivery.exhausted',
    payload: Buffer.from('{}'),
    source: 'junction/test',
    id: 'one-id',
    headers: { reason: 'timeout' },
  };
  await inTransaction(database().pool, (tx) => insertOutbox(tx, [record]));
  const failed = inTransaction(database().pool, async (tx) => {
    await insertOutbox(tx, [record]);
    throw new Error('changed my mind');
  });
  await expect(failed).rejects.toThrow('changed my mind');

  const rows = await outboxOf(key);
  expect(rows.map(({ headers }) => headers)).toEqual([
    {
      'content-type': 'application/json',
      reason: 'timeout',
      ce_specversion: '1.0',
      ce_id: 'one-id',
      ce_source: 'junction/test',
      ce_type: 'delivery.exhausted',
      ce_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    },
  ]);
});

it('keeps all records of a key in one of sixteen lanes', async () => {
  const store = openStore(oddOnes);
  const streams = Array.from({ length: 60 }, newCounter);
  for (let round = 0; round < 2; round++) {
    await store.appendMany(
      streams.map((streamId) => {
        return { appends: [{ streamId, expected: 'any', events: [counted(1)] } as const] };
      }),
    );
  }

  const { rows } = await database().pool.query<{ lanes: number[] }>(
    `select array_agg(distinct lane) as lanes from outbox
      where aggregateid = any($1) group by aggregateid`,
    [streams],
  );
  expect(rows).toHaveLength(streams.length);
  for (const { lanes } of rows) expect(lanes).toEqual([expect.any(Number)]);
  const used = rows.flatMap(({ lanes }) => lanes);
  expect(Math.min(...used)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...used)).toBeLessThan(LANES);
});

const openStore = (publish: Publish<Counted>) => counterStore(database().pool, { publish });

const oddOnes: Publish<Counted> = ({ data }, { streamId }) =>
  data.n % 2 === 1 ? domainRecord(streamId, data.n) : undefined;

const domainRecord = (streamId: string, n: number): OutboxMessage => ({
  topic: 'counters.events.v1',
  key: streamId,
  type: 'counted',
  payload: Buffer.from(JSON.stringify({ n })),
  sequenced: true,
});

interface OutboxRow {
  readonly aggregatetype: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function outboxOf(key: string): Promise<readonly OutboxRow[]> {
  const { rows } = await database().pool.query<OutboxRow>(
    `select aggregatetype, aggregateid, type, headers, payload from outbox
      where aggregateid = $1 order by id`,
    [key],
  );
  return rows;
}
