import { readdirSync } from 'node:fs';
import path from 'node:path';
import { BEGINNING, type Position, readAll } from '@junction/eventsourcing/postgres';
import type { InboundRecord, KafkaPort } from '@junction/messaging';
import type { Pool } from 'pg';
import type {
  Effect,
  History,
  OffsetMove,
  Published,
  ReadModel,
  Row,
  Stored,
} from '../check/history.js';
import { countCodec, inlineCounts, READERS } from '../domain.js';
import { readEntries } from '../member/journal.js';
import type { Ends } from './rest.js';
import type { Stage } from './stage.js';

const PAGE = 1_000;
const READ_WITHIN_MS = 120_000;

/** Everything the checker looks at. */
export async function gather(
  { pool, kafka, places, unasked }: Stage,
  ends: Ends,
  restless: readonly string[],
): Promise<History> {
  const entries = readdirSync(places.historiesDir).flatMap((file) =>
    readEntries(path.join(places.historiesDir, file)),
  );
  return {
    asked: entries.flatMap((entry) => (entry.kind === 'asked' ? entry.requests : [])),
    acknowledged: entries.flatMap((entry) => (entry.kind === 'acknowledged' ? entry.answers : [])),
    stored: await storedEvents(pool),
    published: await publishedRecords(kafka, ends),
    effects: await effectsUpTo(pool, ends),
    offsetMoves: await movesOf(pool),
    readers: READERS,
    readModels: [await rowsOf(pool, inlineCounts)],
    leftovers: [...unasked, ...restless, ...(await leftovers(pool))],
  };
}

async function storedEvents(pool: Pool): Promise<readonly Stored[]> {
  const found: Stored[] = [];
  for (let from: Position = BEGINNING; ; ) {
    const page = await readAll(pool, from, PAGE);
    for (const stored of page) {
      const { eventId, streamId, version } = stored;
      const { data } = await countCodec.decode(streamId, stored);
      found.push({ eventId, streamId, version, ...data });
    }
    const last = page.at(-1);
    if (last === undefined) return found;
    from = last;
  }
}

/** Reads the topics from their beginnings to these ends. */
async function publishedRecords(kafka: KafkaPort, ends: Ends): Promise<readonly Published[]> {
  const left = new Set(
    [...ends].flatMap(([topic, byPartition]) =>
      [...byPartition].flatMap(([partition, { end }]) =>
        end > 0 ? [`${topic}/${partition}`] : [],
      ),
    ),
  );
  const records = new Map<string, Published>();
  let finish: () => void = () => undefined;
  const read = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const reading = kafka.runConsumer({
    group: 'chaos-checker',
    topics: [...ends.keys()],
    concurrency: 1,
    onAssigned: (partitions, control) => {
      for (const at of partitions) control.resume(at);
    },
    onBatch: async ({ topic, partition, records: fetched, lastOffset, resolve }) => {
      const { end = 0 } = ends.get(topic)?.get(partition) ?? {};
      for (const record of fetched) {
        if (record.offset < end) records.set(placeOf(record), published(record));
      }
      resolve(lastOffset);
      if (lastOffset + 1n >= end) left.delete(`${topic}/${partition}`);
      if (left.size === 0) finish();
    },
    onSkipped: () => undefined,
  });
  const late = setTimeout(finish, READ_WITHIN_MS);
  await read;
  clearTimeout(late);
  await reading.stop();
  if (left.size > 0) throw new Error(`Kafka did not give all of ${[...left].join(', ')}.`);
  return [...records.values()].toSorted((a, b) => a.offset - b.offset);
}

const placeOf = ({ topic, partition, offset }: InboundRecord): string =>
  `${topic}/${partition}@${offset}`;

function published({ topic, partition, offset, key, headers }: InboundRecord): Published {
  const { ce_id: eventId = '', ce_sequence: sequence } = headers;
  return {
    topic,
    partition,
    offset: Number(offset),
    key: key ?? '',
    eventId,
    sequence: sequence === undefined ? undefined : Number(sequence),
  };
}

async function effectsUpTo(pool: Pool, ends: Ends): Promise<readonly Effect[]> {
  const { rows } = await pool.query<Effect>(
    `select consumer, by, topic, partition, record_offset::float8 as "offset", key,
            event_id as "eventId", fresh
       from effects order by n`,
  );
  // A request of a killed relay may have reached Kafka after the topics were read. Such a request repeats records.
  return rows.filter(
    ({ topic, partition, offset }) => offset < (ends.get(topic)?.get(partition)?.end ?? 0),
  );
}

async function movesOf(pool: Pool): Promise<readonly OffsetMove[]> {
  const { rows } = await pool.query<OffsetMove>(
    `select consumer, topic, partition, from_offset::float8 as "from", to_offset::float8 as "to",
            is_anew as "isAnew", by
       from offset_moves order by n`,
  );
  return rows;
}

async function rowsOf(pool: Pool, { table, aggregate }: typeof inlineCounts): Promise<ReadModel> {
  const { rows } = await pool.query<Row>(`select id, count, sum, version, digest from ${table}`);
  return { table, aggregate, rows };
}

/** Describes the dead letters, of which a run must leave none: its records are valid, and only infrastructure fails. */
async function leftovers(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ found: string }>(
    `select format('%s made a dead letter of %s/%s@%s (key %s): %s', consumer, topic, partition,
                   record_offset, key, reason_code) as found from dead_letters`,
  );
  return rows.map(({ found }) => `${found}.`);
}
