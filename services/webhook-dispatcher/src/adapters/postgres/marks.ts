import type pg from 'pg';
import { MARKS_MAX } from '../../domain/statistics/marks.js';
import { statement } from './statement.js';

/** Marks of the last attempts of a webhook `w`, oldest first. */
// An hour with an attempt has a mark, so as many such hours as there are marks in a strip hold enough of them. An hour
// in which a filter dropped every event has none.
export const MARKS = `
          (select coalesce(right(string_agg(marks, '' order by hour), ${MARKS_MAX}), '')
             from (select hour, marks from webhook_hours h
                    where h.webhook_id = w.webhook_id and marks <> ''
                    order by hour desc limit ${MARKS_MAX}) as newest)`;

/** Returns the marks of the last attempts of each of these webhooks, oldest first. */
export async function marksOfEach(
  pool: pg.Pool,
  webhookIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await readMarks(pool, { webhook_ids: webhookIds });
  return new Map(rows.map(({ webhookId, marks }) => [webhookId, marks]));
}

const readMarks = statement<{ readonly webhookId: string; readonly marks: string }>(
  'webhook_marks',
  `select webhook_id as "webhookId", ${MARKS} as marks from unnest(:webhook_ids::uuid[]) as w (webhook_id)`,
  { webhook_ids: 'wh', webhookId: 'wh' },
);
