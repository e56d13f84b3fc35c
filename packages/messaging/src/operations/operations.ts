import type pg from 'pg';
import type { Consumer } from '../consumer/consumer.js';
import type { KafkaPort } from '../kafka/kafka-port.js';
import type { Log } from '../log.js';
import {
  type ConsumedPartition,
  type ConsumerPartition,
  listConsumers,
  type ResetResult,
  type ResetTarget,
  resetOffset,
} from './consumer-offsets.js';
import {
  type DeadLetterDetail,
  type DeadLetterFilter,
  type DeadLetterPage,
  type DeadLetterState,
  FILTERED,
  filterValues,
  isUuid,
  listDeadLetters,
  showDeadLetter,
} from './dead-letter-rows.js';
import { checkedNote, type DropOptions, type DropResult, dropDeadLetter } from './drop.js';
import type { ParkedKey } from './parked-key.js';
import {
  consumerOf,
  type RedriveContext,
  type RedriveOptions,
  type RedriveResult,
  redriveAlone,
  redriveKey,
} from './redrive.js';

/** Letters of one call that goes by a filter; `more` says that there are others. */
const FILTERED_MAX = 500;

export interface OperationsOptions {
  readonly pool: pg.Pool;
  readonly kafka: KafkaPort;
  readonly topicPrefix: string;
  /** Those of this process: a redrive needs the handler. */
  readonly consumers: readonly Pick<Consumer, 'group' | 'topics' | 'ordered' | 'handle'>[];
  readonly log: Log;
}

export interface Some<T> {
  readonly results: readonly T[];
  readonly more: boolean;
}

/** What an operator can do with one service's dead letters and offsets. Errors are AppError. */
export interface Operations {
  list(
    filter: DeadLetterFilter,
    page: { readonly limit: number; readonly after?: string; readonly state?: DeadLetterState },
  ): Promise<DeadLetterPage>;
  show(id: string): Promise<DeadLetterDetail>;
  /** Each through its ordinary handler; of a parked key only those whose turn it is. */
  redrive(ids: readonly string[], options: RedriveOptions): Promise<readonly RedriveResult[]>;
  /** The oldest 500 that fit. */
  redriveMatching(filter: DeadLetterFilter, options: RedriveOptions): Promise<Some<RedriveResult>>;
  /** All of a parked key in order, until one fails. Lets the key go when all are through. */
  redriveKey(at: ParkedKey, options: RedriveOptions): Promise<readonly RedriveResult[]>;
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
  const { pool, consumers } = options;
  const drop: Operations['drop'] = async (ids, { by, note }) => {
    const checked = { by, note: checkedNote(note) };
    const results: DropResult[] = [];
    for (const id of new Set(ids)) {
      results.push(
        isUuid(id) ? await dropDeadLetter(pool, id, checked) : { id, outcome: 'not_found' },
      );
    }
    return results;
  };

  return {
    list: (filter, page) => listDeadLetters(pool, filter, page),
    show: (id) => showDeadLetter(pool, id),
    redrive: (ids, how) => redriveIds(options, ids, how),
    async redriveMatching(filter, how) {
      const { ids, more } = await matching(pool, filter);
      return { results: await redriveIds(options, ids, how), more };
    },
    redriveKey(at, how) {
      consumerOf(consumers, at.consumer, at.topic);
      return redriveKey(options, at, () => true, how);
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

async function redriveIds(
  context: RedriveContext,
  asked: readonly string[],
  how: RedriveOptions,
): Promise<readonly RedriveResult[]> {
  const ids = [...new Set(asked)];
  const letters = await openLetters(context.pool, ids.filter(isUuid));
  const wanted = new Set(ids);
  const results = new Map<string, RedriveResult>();
  for (const letter of letters) {
    const { id, consumer, topic, key, parked, resolved } = letter;
    if (resolved) results.set(id, { id, outcome: 'resolved' });
    if (results.has(id)) continue;
    consumerOf(context.consumers, consumer, topic);
    const some =
      parked && key !== null
        ? await redriveKey(context, { consumer, topic, key }, (one) => wanted.has(one), how)
        : [await redriveAlone(context, letter, how)];
    for (const result of some) results.set(result.id, result);
    if (!results.has(id)) results.set(id, { id, outcome: 'waiting' });
  }
  return ids.map((id) => results.get(id) ?? { id, outcome: 'not_found' });
}

interface Letter extends ParkedKeyOrNone {
  readonly id: string;
  readonly parked: boolean;
  readonly resolved: boolean;
}

interface ParkedKeyOrNone {
  readonly consumer: string;
  readonly topic: string;
  readonly key: string | null;
}

async function openLetters(pool: pg.Pool, ids: readonly string[]): Promise<readonly Letter[]> {
  const { rows } = await pool.query<Letter>(
    `select id, consumer, topic, key, parked, resolved_at is not null as resolved
       from dead_letters where id = any ($1::uuid[]) order by consumer, topic, record_offset, id`,
    [ids],
  );
  return rows;
}
