import { type Queryable, uuids } from '@junction/eventsourcing/postgres';
import type { IntakeReads } from '../../../application/intake/ports.js';
import { statement } from '../statement.js';
import type { WebhookIndex } from '../webhook-index.js';

/**
 * Makes the reads that events are judged by: the webhooks of their users, from memory unless a webhook has changed, and
 * the events that are known already.
 */
export const intakeReads = (db: Queryable, index: WebhookIndex): IntakeReads => ({
  async look(events) {
    const userIds = [...new Set(events.map(({ userId }) => userId))];
    const { version: since, webhooks } = await index.look(userIds);
    const message_ids = uuids(events.map(({ messageId }) => messageId));
    const { rows } = await readNews(db, { since, message_ids });
    const [row] = rows;
    if (row === undefined) throw new Error('webhook_index has no row.');
    const changed = row.changed ?? undefined;
    index.learn({ since, version: Number(row.version), changed });
    const isChanged = changed === undefined || changed.some((userId) => webhooks.has(userId));
    return {
      webhooks: isChanged ? (await index.look(userIds)).webhooks : webhooks,
      known: new Set(row.known_message_ids),
    };
  },
});

interface NewsRow {
  readonly known_message_ids: readonly string[];
  /** Version of webhook_index. */
  readonly version: string;
  /** Users whose webhooks changed since then; null: the changes are too many, or no longer all stored. */
  readonly changed: readonly string[] | null;
}

const CHANGES_MAX = 1_000;

const TODAY = `(now() at time zone 'utc')::date`;

// Changes are few between two batches: who was away for longer reads anew instead of counting them. Events are looked
// up one by one: of a new partition there are no statistics, and a join might read it from end to end.
const readNews = statement<NewsRow>(
  'intake_news',
  `
with change as materialized (
  select user_id from webhook_changes where version > :since order by version limit ${CHANGES_MAX}
)
select version,
       case when version - :since::bigint = (select count(*) from change)
            then array(select distinct user_id from change) end as changed,
       array(select m.message_id from unnest(:message_ids::uuid[]) m (message_id)
              cross join lateral (
                select from seen_events s
                 where s.message_id = m.message_id and s.day between ${TODAY} - 7 and ${TODAY} + 1
                 limit 1) seen) as known_message_ids
  from webhook_index`,
  { known_message_ids: 'msg' },
);
