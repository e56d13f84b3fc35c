import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Appended,
  type BatchedAppend,
  eventIdOf,
  StreamMovedError,
} from '@junction/eventsourcing';
import {
  EVENTS_APPENDED,
  type PostgresEventStore,
  postgresEventStore,
  postgresNotifier,
  streamHead,
} from '@junction/eventsourcing/postgres';
import { classifyError } from '@junction/messaging';
import type pg from 'pg';
import type { Acknowledged, Asked } from '../check/history.js';
import {
  type CountEvent,
  countCodec,
  inlineCounts,
  OWN,
  publishCounted,
  SOURCE,
} from '../domain.js';
import { readEntries, writeEntry } from './journal.js';
import type { MemberSettings } from './settings.js';
import { drawTurn, type Part, type Turn } from './turns.js';

const RETRY_MS = 100;

interface Writing {
  readonly settings: MemberSettings;
  readonly pool: pg.Pool;
  /** Store without inline projections, whose append is one statement; with them, an append is a transaction. */
  readonly plain: PostgresEventStore<CountEvent>;
  readonly projecting: PostgresEventStore<CountEvent>;
}

/**
 * Appends turn after turn until the end file is there. Requests that an earlier process of this writer
 * sent and that were not acknowledged are repeated first, under the same command ids.
 */
export async function write(settings: MemberSettings, pool: pg.Pool): Promise<void> {
  const { seed, name, historyFile, endFile } = settings;
  const notifier = postgresNotifier({ pool, onError: () => undefined });
  const afterCommit = () => notifier.notify(EVENTS_APPENDED);
  const options = { pool, codec: countCodec, source: SOURCE, publish: publishCounted, afterCommit };
  const writing: Writing = {
    settings,
    pool,
    plain: postgresEventStore(options),
    projecting: postgresEventStore({ ...options, inline: [inlineCounts] }),
  };

  const entries = readEntries(historyFile);
  const last = entries.findLast(({ kind }) => kind === 'asked');
  let n = last?.turn ?? 0;
  if (last?.kind === 'asked') await finishTurn(writing, n, drawTurn(seed, name, n), last.requests);
  while (!existsSync(endFile)) {
    n += 1;
    const turn = drawTurn(seed, name, n);
    const requests = turn.requests.map(asked);
    writeEntry(historyFile, { kind: 'asked', turn: n, requests });
    await finishTurn(writing, n, turn, requests);
    await sleep(turn.restMs);
  }
  await notifier.close();
  await pool.end();
}

function asked({ request, parts }: Turn['requests'][number]): Asked {
  const commandId = randomUUID();
  const streams = parts.flatMap(({ streamId, amounts }) => amounts.map(() => streamId));
  const events = streams.map((streamId, place) => ({
    eventId: eventIdOf(commandId, place),
    streamId,
  }));
  return { request, commandId, events };
}

/** Until it is acknowledged, and once more where the turn says so. */
async function finishTurn(
  { settings: { historyFile }, ...stores }: Writing,
  n: number,
  turn: Turn,
  requests: readonly Asked[],
): Promise<void> {
  for (let times = turn.isRepeated ? 2 : 1; times > 0; times--) {
    const answers = await untilAcknowledged(stores, turn, requests);
    writeEntry(historyFile, { kind: 'acknowledged', turn: n, answers });
  }
}

type Stores = Omit<Writing, 'settings'>;

/** Throws what no repetition mends: the append itself is wrong, or the store. */
async function untilAcknowledged(
  stores: Stores,
  turn: Turn,
  requests: readonly Asked[],
): Promise<readonly Acknowledged[]> {
  for (;;) {
    try {
      const appended = await append(stores, await batchOf(stores.pool, turn, requests));
      return requests.map(({ request, commandId }, index) =>
        acknowledged(request, commandId, appended[index]),
      );
    } catch (error) {
      if (error instanceof StreamMovedError) continue;
      if (classifyError(error) !== 'infrastructure') throw error;
      await sleep(RETRY_MS);
    }
  }
}

async function batchOf(
  pool: pg.Pool,
  { requests: drawn }: Turn,
  requests: readonly Asked[],
): Promise<readonly BatchedAppend<CountEvent>[]> {
  return Promise.all(
    drawn.map(async ({ request, parts }, index) => {
      const { commandId = '' } = requests[index] ?? {};
      const appends = [];
      let place = 0;
      for (const part of parts) {
        const events = part.amounts.map((amount): CountEvent => {
          return { type: 'counted', data: { request, place: place++, amount } };
        });
        appends.push({ streamId: part.streamId, expected: await expected(pool, part), events });
      }
      return { appends, context: { commandId } };
    }),
  );
}

async function expected(pool: pg.Pool, part: Part): Promise<'any' | 'none' | number> {
  if (part.expected === 'any') return 'any';
  return (await streamHead(pool, part.streamId))?.version ?? 'none';
}

async function append(
  { plain, projecting }: Stores,
  batch: readonly BatchedAppend<CountEvent>[],
): Promise<readonly Appended<CountEvent>[]> {
  const isProjected = batch.some(({ appends }) =>
    appends.some(({ streamId }) => streamId.startsWith(`${OWN}-`)),
  );
  const store = isProjected ? projecting : plain;
  const [only] = batch;
  return batch.length === 1 && only
    ? [await store.append(only.appends, only.context)]
    : store.appendMany(batch);
}

function acknowledged(
  request: string,
  commandId: string,
  appended: Appended<CountEvent> | undefined,
): Acknowledged {
  if (appended === undefined) throw new Error(`${request} was not answered.`);
  const events = appended.events.map(({ eventId, streamId, version }) => ({
    eventId,
    streamId,
    version,
  }));
  return { request, commandId, repeated: appended.repeated, events };
}
