import { AppError } from '@junction/errors';
import type pg from 'pg';
import type { DeadLetter } from './dead-letter.js';

/** A filter of dead letters. An absent field matches every letter. */
export interface DeadLetterFilter {
  /** Group of the consumer. */
  readonly consumer?: string;
  /** Topic without the prefix. */
  readonly topic?: string;
  readonly reason?: string;
  /** Id of the user, a UUID. */
  readonly userId?: string;
}

export type DeadLetterState = 'open' | 'redriven' | 'discarded';

/** A dead letter as stored. */
export interface StoredDeadLetter extends Omit<DeadLetter, 'key' | 'userId'> {
  readonly key: string | null;
  readonly userId: string | null;
  readonly state: DeadLetterState;
  /** Number of redrives that failed. */
  readonly redrives: number;
  readonly recordedAt: Date;
  readonly at: Date;
  readonly resolvedAt: Date | null;
  readonly resolvedBy: string | null;
  readonly note: string | null;
}

/** A dead letter with the record itself, which may hold personal data. */
export interface DeadLetterDetail extends StoredDeadLetter {
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer | null;
}

export interface DeadLetterPage {
  readonly items: readonly StoredDeadLetter[];
  /** Cursor of the next page; absent on the last. */
  readonly next: string | undefined;
}

const COLUMNS = `id, consumer, topic, partition, record_offset as "offset", key, user_id as "userId",
  json_build_object('code', reason_code, 'text', reason_text) as reason,
  coalesce(resolution, 'open') as state, redrives, recorded_at as "recordedAt", at,
  resolved_at as "resolvedAt", resolved_by as "resolvedBy", resolution_note as note`;

const PAGE_MAX = 200;

/** SQL for a filter whose four values are the parameters from `$1` on. */
export const FILTERED = `($1::text is null or consumer = $1) and ($2::text is null or topic = $2)
  and ($3::text is null or reason_code = $3) and ($4::uuid is null or user_id = $4)`;

export const filterValues = ({ consumer, topic, reason, userId }: DeadLetterFilter) =>
  [consumer ?? null, topic ?? null, reason ?? null, userId ?? null] as const;

/** Lists dead letters, newest first, at most 200 at a time. */
export async function listDeadLetters(
  pool: pg.Pool,
  filter: DeadLetterFilter,
  page: { readonly limit: number; readonly after?: string; readonly state?: DeadLetterState },
): Promise<DeadLetterPage> {
  const { after, state = 'open' } = page;
  const limit = Math.max(1, Math.min(PAGE_MAX, page.limit));
  const { rows } = await pool.query<Row<StoredDeadLetter>>(
    `select ${COLUMNS} from dead_letters
      where ${FILTERED} and coalesce(resolution, 'open') = $5 and ($6::uuid is null or id < $6)
      order by id desc limit $7`,
    [...filterValues(filter), state, after ?? null, limit + 1],
  );
  const items = rows.slice(0, limit).map(letterIn);
  return { items, next: rows.length > limit ? items.at(-1)?.id : undefined };
}

/**
 * Returns a letter with its record.
 * @throws AppError `dead_letter_not_found`.
 */
export async function showDeadLetter(pool: pg.Pool, id: string): Promise<DeadLetterDetail> {
  const letter = await findDeadLetter(pool, id, '');
  if (letter) return letter;
  throw new AppError('dead_letter_not_found', `There is no dead letter ${id}.`);
}

export async function findDeadLetter(
  db: pg.Pool | pg.ClientBase,
  id: string,
  lock: '' | 'for update',
): Promise<DeadLetterDetail | undefined> {
  const { rows } = await db.query<Row<DeadLetterDetail>>(
    `select ${COLUMNS}, headers, payload from dead_letters where id = $1 ${lock}`,
    [id],
  );
  return rows[0] && letterIn(rows[0]);
}

/** A row of the table, in which a bigint comes as text. */
type Row<Letter> = Omit<Letter, 'offset'> & { readonly offset: string };

const letterIn = <R extends { readonly offset: string }>(row: R) => ({
  ...row,
  offset: BigInt(row.offset),
});
