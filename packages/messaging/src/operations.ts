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

/** Maximum letters of one call with a filter; `more` says that there are others. */
const FILTERED_MAX = 500;

export interface OperationsOptions extends OffsetContext, RedriveContext {}

/** Selection of dead letters: these ids, or the oldest 500 open letters that match. Ids are UUIDs. */
export type Wanted =
  | { readonly ids: readonly string[]; readonly filter?: never }
  | { readonly ids?: never; readonly filter: DeadLetterFilter };

export interface Some<T> {
  readonly results: readonly T[];
  readonly more: boolean;
}

/** Operations on dead letters and stored offsets, for operators. */
export interface Operations {
  list(
    filter: DeadLetterFilter,
    page: { readonly limit: number; readonly after?: string; readonly state?: DeadLetterState },
  ): Promise<DeadLetterPage>;
  show(id: string): Promise<DeadLetterDetail>;
  /** Redrives each letter through its ordinary handler, in a transaction of its own. */
  redrive(wanted: Wanted, options: RedriveOptions): Promise<Some<RedriveResult>>;
  drop(wanted: Wanted, options: DropOptions): Promise<Some<DropResult>>;
  consumers(): Promise<readonly ConsumerPartition[]>;
  reset(
    at: ConsumedPartition,
    target: ResetTarget,
    options?: { readonly force?: boolean },
  ): Promise<ResetResult>;
}

/** Returns the functions behind the routes of operators, which check their callers and record each call. */
export function operations(options: OperationsOptions): Operations {
  const { pool } = options;
  return {
    list: (filter, page) => listDeadLetters(pool, filter, page),
    show: (id) => showDeadLetter(pool, id),
    async redrive(wanted, how) {
      const { ids, more } = await idsOf(pool, wanted);
      const results: RedriveResult[] = [];
      for (const id of ids) results.push(await redriveDeadLetter(options, id, how));
      return { results, more };
    },
    async drop(wanted, how) {
      const { ids, more } = await idsOf(pool, wanted);
      return { results: await dropDeadLetters(pool, ids, how), more };
    },
    consumers: () => listConsumers(options),
    reset: (at, target, how) => resetOffset(options, at, target, how),
  };
}

async function idsOf(pool: pg.Pool, { ids: named, filter }: Wanted) {
  if (named) return { ids: [...new Set(named)], more: false };
  const { rows } = await pool.query<{ id: string }>(
    `select id from dead_letters where ${FILTERED} and resolved_at is null
      order by consumer, topic, partition, record_offset, id limit $5`,
    [...filterValues(filter), FILTERED_MAX + 1],
  );
  return { ids: rows.slice(0, FILTERED_MAX).map(({ id }) => id), more: rows.length > FILTERED_MAX };
}
