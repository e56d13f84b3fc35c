import type pg from 'pg';
import {
  type ConsumedPartition,
  type ConsumerPartition,
  listConsumers,
  type OffsetContext,
  type ResetResult,
  type ResetTarget,
  resetOffset,
} from './consumer/consumer-offsets.js';
import { type DropOptions, type DropResult, dropDeadLetters } from './dead-letters/drop.js';
import {
  type DeadLetterDetail,
  type DeadLetterFilter,
  type DeadLetterPage,
  type DeadLetterState,
  FILTERED,
  filterValues,
  listDeadLetters,
  showDeadLetter,
} from './dead-letters/read-dead-letters.js';
import {
  type RedriveContext,
  type RedriveOptions,
  type RedriveResult,
  redriveDeadLetter,
} from './dead-letters/redrive.js';

/** Letters of one call that goes by a filter; `more` says that there are others. */
const FILTERED_MAX = 500;

export interface OperationsOptions extends OffsetContext, RedriveContext {}

export interface Some<T> {
  readonly results: readonly T[];
  readonly more: boolean;
}

/** What an operator does with dead letters and stored offsets. */
export interface Operations {
  list(
    filter: DeadLetterFilter,
    page: { readonly limit: number; readonly after?: string; readonly state?: DeadLetterState },
  ): Promise<DeadLetterPage>;
  show(id: string): Promise<DeadLetterDetail>;
  /** Each through its ordinary handler, in a transaction of its own. */
  redrive(ids: readonly string[], options: RedriveOptions): Promise<readonly RedriveResult[]>;
  /** The oldest 500 that fit. */
  redriveMatching(filter: DeadLetterFilter, options: RedriveOptions): Promise<Some<RedriveResult>>;
  drop(ids: readonly string[], options: DropOptions): Promise<readonly DropResult[]>;
  dropMatching(filter: DeadLetterFilter, options: DropOptions): Promise<Some<DropResult>>;
  consumers(): Promise<readonly ConsumerPartition[]>;
  reset(
    at: ConsumedPartition,
    target: ResetTarget,
    options?: { readonly force?: boolean },
  ): Promise<ResetResult>;
}

/** The functions behind OpsService. Who may call them, and the event of each call, are its business. */
export function operations(options: OperationsOptions): Operations {
  const { pool } = options;
  const redrive: Operations['redrive'] = async (ids, how) => {
    const results: RedriveResult[] = [];
    for (const id of new Set(ids)) results.push(await redriveDeadLetter(options, id, how));
    return results;
  };
  const drop: Operations['drop'] = (ids, how) => dropDeadLetters(pool, [...new Set(ids)], how);

  return {
    list: (filter, page) => listDeadLetters(pool, filter, page),
    show: (id) => showDeadLetter(pool, id),
    redrive,
    async redriveMatching(filter, how) {
      const { ids, more } = await matching(pool, filter);
      return { results: await redrive(ids, how), more };
    },
    drop,
    async dropMatching(filter, how) {
      const { ids, more } = await matching(pool, filter);
      return { results: await drop(ids, how), more };
    },
    consumers: () => listConsumers(options),
    reset: (at, target, how) => resetOffset(options, at, target, how),
  };
}

async function matching(pool: pg.Pool, filter: DeadLetterFilter) {
  const { rows } = await pool.query<{ id: string }>(
    `select id from dead_letters where ${FILTERED} and resolved_at is null
      order by consumer, topic, partition, record_offset, id limit $6`,
    [...filterValues(filter), FILTERED_MAX + 1],
  );
  return { ids: rows.slice(0, FILTERED_MAX).map(({ id }) => id), more: rows.length > FILTERED_MAX };
}
