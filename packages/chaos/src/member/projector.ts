import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ProjectionLog,
  postgresNotifier,
  type RowProjection,
  startProjections,
} from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import { type CountEvent, countCodec, laterCounts } from '../domain.js';
import { keepBusy } from './busy-pool.js';

/** A pause or a kill is to fall between reading and applying, and within the transaction, often enough. */
const QUEUE_MS = 20;
const WORK_MS = 100;

/** Keeps the asynchronous read model until it is killed. */
export function project(name: string, pool: pg.Pool, log: ProjectionLog): void {
  keepBusy(pool, QUEUE_MS);
  const notifier = postgresNotifier({ pool, onError: () => undefined });
  startProjections({
    pool,
    codec: countCodec,
    notifier,
    inline: [],
    asynchronous: [slowly(laterCounts)],
    owner: name,
    log,
  });
}

const slowly = (projection: RowProjection<CountEvent>): RowProjection<CountEvent> => ({
  ...projection,
  async applyTo(...args) {
    const written = await projection.applyTo(...args);
    await sleep(WORK_MS);
    return written;
  },
});
