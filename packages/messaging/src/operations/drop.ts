import { AppError } from '@junction/errors';
import { inTransaction } from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import { idOf } from '../consumer/gate.js';
import { storedText } from '../consumer/stored-text.js';
import { FULL_COLUMNS, type FullDeadLetterRow, recordOf } from './dead-letter-rows.js';
import { lockKey, settleKey } from './parked-key.js';

const NOTE_MAX = 500;

export interface DropOptions {
  readonly by: string;
  /** Why it is given up, 1 to 500 characters. */
  readonly note: string;
}

export interface DropResult {
  readonly id: string;
  readonly outcome: 'dropped' | 'resolved' | 'not_found';
}

/** @throws AppError `invalid` without a note. */
export function checkedNote(note: string): string {
  const text = storedText(note).trim();
  if (text.length > 0 && text.length <= NOTE_MAX) return text;
  const message = `Say in 1 to ${NOTE_MAX} characters why it is given up.`;
  throw new AppError('invalid', 'invalid', message, {
    fields: [{ field: 'note', code: 'length', message }],
  });
}

/** Gives a record up: it will never take effect, and what waits behind it may go on. */
export const dropDeadLetter = async (
  pool: pg.Pool,
  id: string,
  { by, note }: DropOptions,
): Promise<DropResult> =>
  inTransaction(pool, async (tx) => {
    const row = await find(tx, id);
    if (!row) return { id, outcome: 'not_found' };
    const { consumer, topic, key, parked } = row;
    const parkedKey = parked && key !== null ? { consumer, topic, key } : undefined;
    // As every writer of a parked key does it: first the key, then its letters.
    if (parkedKey) await lockKey(tx, parkedKey);

    const { rowCount } = await tx.query(
      `update dead_letters
          set resolved_at = now(), resolution = 'discarded', resolved_by = $2, resolution_note = $3
        where id = $1 and resolved_at is null`,
      [id, by, checkedNote(note)],
    );
    if (rowCount !== 1) return { id, outcome: (await find(tx, id)) ? 'resolved' : 'not_found' };
    if (parkedKey) {
      await forgetRepetitions(tx, row);
      await settleKey(tx, parkedKey, sequenceOf(row));
    }
    return { id, outcome: 'dropped' };
  });

async function find(tx: pg.ClientBase, id: string): Promise<FullDeadLetterRow | undefined> {
  const { rows } = await tx.query<FullDeadLetterRow>(
    `select ${FULL_COLUMNS} from dead_letters where id = $1`,
    [id],
  );
  return rows[0];
}

/** The relay may write it once more; a record without a sequence is known by its id. */
async function forgetRepetitions(tx: pg.ClientBase, row: FullDeadLetterRow): Promise<void> {
  const id = row.headers['ce_sequence'] === undefined ? idOf(recordOf(row, '')) : undefined;
  if (!id) return;
  await tx.query(
    'insert into consumer_inbox (consumer, source, id) values ($1, $2, $3) on conflict do nothing',
    [row.consumer, id.source, id.id],
  );
}

const sequenceOf = ({ headers }: FullDeadLetterRow): bigint | undefined =>
  /^[1-9][0-9]{0,17}$/.test(headers['ce_sequence'] ?? '')
    ? BigInt(headers['ce_sequence'] ?? '')
    : undefined;
