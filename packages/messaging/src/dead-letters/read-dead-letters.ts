import { AppError } from '@junction/errors';
import type pg from 'pg';
import type { InboundRecord } from '../kafka/kafka-port.js';
import { topicName } from '../kafka/topics.js';
import type { DeadLetter } from './dead-letter.js';

/** What a filter leaves out, it lets through. */
export interface DeadLetterFilter {
  /** The group. */
  readonly consumer?: string;
  /** Without the prefix. */
  readonly topic?: string;
  readonly reason?: string;
  readonly key?: string;
  readonly userId?: string;
}

export type DeadLetterState = 'open' | 'redriven' | 'discarded';

/** As the table has it. */
export interface StoredDeadLetter extends DeadLetter {
  readonly state: DeadLetterState;
  /** Redrives that failed. */
  readonly redrives: number;
  readonly recordedAt: Date;
  readonly at: Date;
  readonly resolvedAt: Date | undefined;
  readonly resolvedBy: string | undefined;
  readonly note: string | undefined;
}

/** With the record itself, which may hold personal data. */
export interface DeadLetterDetail extends StoredDeadLetter {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer | undefined;
}

export interface DeadLetterPage {
  readonly items: readonly StoredDeadLetter[];
  /** For the next page; absent on the last. */
  readonly next: string | undefined;
}

export interface DeadLetterRow {
  readonly id: string;
  readonly consumer: string;
  readonly topic: string;
  readonly partition: number;
  readonly record_offset: string;
  readonly key: string | null;
  readonly user_id: string | null;
  readonly reason_code: string;
  readonly reason_text: string;
  readonly resolution: 'redriven' | 'discarded' | null;
  readonly redrives: number;
  readonly recorded_at: Date;
  readonly at: Date;
  readonly resolved_at: Date | null;
  readonly resolved_by: string | null;
  readonly resolution_note: string | null;
}

export interface FullDeadLetterRow extends DeadLetterRow {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer | null;
}

const COLUMNS = `id, consumer, topic, partition, record_offset, key, user_id, reason_code, reason_text,
  resolution, redrives, recorded_at, at, resolved_at, resolved_by, resolution_note`;
export const FULL_COLUMNS = `${COLUMNS}, headers, payload`;

const PAGE_MAX = 200;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** SQL for a filter whose five values are the parameters from `$1` on. */
export const FILTERED = `($1::text is null or consumer = $1) and ($2::text is null or topic = $2)
  and ($3::text is null or reason_code = $3) and ($4::text is null or key = $4)
  and ($5::uuid is null or user_id = $5)`;

/** @throws AppError `invalid` when the user id is no UUID. */
export function filterValues({ consumer, topic, reason, key, userId }: DeadLetterFilter) {
  if (userId !== undefined) requireUuid(userId, 'user_id');
  return [consumer ?? null, topic ?? null, reason ?? null, key ?? null, userId ?? null] as const;
}

/** Newest first, at most 200 at a time. */
export async function listDeadLetters(
  pool: pg.Pool,
  filter: DeadLetterFilter,
  page: { readonly limit: number; readonly after?: string; readonly state?: DeadLetterState },
): Promise<DeadLetterPage> {
  const { after, state = 'open' } = page;
  if (after !== undefined) requireUuid(after, 'after');
  const limit = Math.max(1, Math.min(PAGE_MAX, page.limit));
  const { rows } = await pool.query<DeadLetterRow>(
    `select ${COLUMNS} from dead_letters
      where ${FILTERED} and coalesce(resolution, 'open') = $6 and ($7::uuid is null or id < $7)
      order by id desc limit $8`,
    [...filterValues(filter), state, after ?? null, limit + 1],
  );
  const items = rows.slice(0, limit).map(storedDeadLetter);
  return { items, next: rows.length > limit ? items.at(-1)?.id : undefined };
}

/** @throws AppError `not_found`. */
export async function showDeadLetter(pool: pg.Pool, id: string): Promise<DeadLetterDetail> {
  const { rows } = UUID.test(id)
    ? await pool.query<FullDeadLetterRow>(
        `select ${FULL_COLUMNS} from dead_letters where id = $1`,
        [id],
      )
    : { rows: [] };
  const [row] = rows;
  if (row) {
    const { headers, payload } = row;
    return { ...storedDeadLetter(row), headers, payload: payload ?? undefined };
  }
  throw new AppError('not_found', 'dead_letter_not_found', `There is no dead letter ${id}.`);
}

const storedDeadLetter = (row: DeadLetterRow): StoredDeadLetter => ({
  id: row.id,
  consumer: row.consumer,
  topic: row.topic,
  partition: row.partition,
  offset: BigInt(row.record_offset),
  key: row.key ?? undefined,
  userId: row.user_id ?? undefined,
  reason: { code: row.reason_code, text: row.reason_text },
  state: row.resolution ?? 'open',
  redrives: row.redrives,
  recordedAt: row.recorded_at,
  at: row.at,
  resolvedAt: row.resolved_at ?? undefined,
  resolvedBy: row.resolved_by ?? undefined,
  note: row.resolution_note ?? undefined,
});

/** The record again, as its handler first saw it; what Postgres cannot store was replaced. */
export const recordOf = (row: FullDeadLetterRow, topicPrefix: string): InboundRecord => ({
  topic: topicName(topicPrefix, row.topic),
  partition: row.partition,
  offset: BigInt(row.record_offset),
  key: row.key,
  headers: row.headers,
  value: row.payload,
  timestamp: row.recorded_at,
});

export const isUuid = (text: string): boolean => UUID.test(text);

function requireUuid(text: string, field: string): void {
  if (UUID.test(text)) return;
  const message = `${field} must be a UUID.`;
  throw new AppError('invalid', 'invalid', message, {
    fields: [{ field, code: 'not_a_uuid', message }],
  });
}
