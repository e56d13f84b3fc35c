import type pg from 'pg';
import { MARKS_MAX } from '../../domain/statistics/marks.js';
import { statement } from './statement.js';

/** Returns the marks of the last attempts of each of these webhooks, oldest first. */
export async function marksOfEach(
  pool: pg.Pool,
  webhookIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await readMarks(pool, { webhook_ids: webhookIds, max: MARKS_MAX });
  return new Map(rows.map(({ webhookId, marks }) => [webhookId, marks]));
}

// An hour with an attempt has a mark, so as many such hours as there are marks in a strip hold enough of them. An hour
// in which a filter dropped every event has none.
const readMarks = statement<{ readonly webhookId: string; readonly marks: string }>(
  'webhook_marks',
  `select webhook_id as "webhookId",
          (select coalesce(right(string_agg(marks, '' order by hour), :max::int), '')
             from (select hour, marks from webhook_hours h
                    where h.webhook_id = w.webhook_id and marks <> ''
                    order by hour desc limit :max) as newest) as marks
     from unnest(:webhook_ids::uuid[]) as w (webhook_id)`,
  { webhook_ids: 'wh', webhookId: 'wh' },
);
