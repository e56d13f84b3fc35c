import { type ProjectionLog, startProjections, wakeCalls } from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import { countCodec, laterCounts } from '../domain.js';

/** Keeps the asynchronous read model until it is killed. */
export function project(name: string, pool: pg.Pool, log: ProjectionLog): void {
  const calls = wakeCalls({ pool, onError: () => undefined });
  startProjections({
    pool,
    codec: countCodec,
    calls,
    inline: [],
    asynchronous: [laterCounts],
    owner: name,
    log,
  });
}
