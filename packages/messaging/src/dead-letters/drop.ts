import type pg from 'pg';
import { storedText } from './stored-text.js';

export interface DropOptions {
  readonly by: string;
  /** Reason why the letters are given up. */
  readonly note: string;
}

export interface DropResult {
  readonly id: string;
  /** Outcome for a letter. `resolved`: somebody has redriven or dropped the letter before. */
  readonly outcome: 'dropped' | 'resolved' | 'not_found';
}

/** Drops letters: their records will never take effect. Returns a result for each id, in order. */
export async function dropDeadLetters(
  pool: pg.Pool,
  ids: readonly string[],
  { by, note }: DropOptions,
): Promise<readonly DropResult[]> {
  const { rows } = await pool.query<{ id: string; dropped: boolean }>(
    `with dropped as (
       update dead_letters
          set resolved_at = now(), resolution = 'discarded', resolved_by = $2, resolution_note = $3
        where id = any ($1::uuid[]) and resolved_at is null
       returning id
     )
     select id, dropped.id is not null as dropped
       from dead_letters left join dropped using (id) where id = any ($1::uuid[])`,
    [ids, by, storedText(note)],
  );
  const found = new Map(
    rows.map(({ id, dropped }) => [id, dropped ? 'dropped' : 'resolved'] as const),
  );
  return ids.map((id) => ({ id, outcome: found.get(id.toLowerCase()) ?? 'not_found' }));
}
