import type pg from 'pg';
import { dateOf, type History, type Webhook } from './fill.js';

/** What one user asks about: of their webhook a delivery of long ago and an event of last week. */
export interface Subject extends Webhook {
  /** dlv_… of the middle of the time, with as many attempts as any of its webhook on that day. */
  readonly deliveryId: string;
  readonly attempts: number;
  readonly deliveredAt: Date;
  /** msg_… */
  readonly messageId: string;
}

type Items = readonly Readonly<Record<string, unknown>>[];

/** The parts of answers that questions look at. */
export interface Answer {
  readonly items: Items;
  readonly attempts: Items;
  readonly deliveries: Items;
}

export interface Question {
  path(subject: Subject): string;
  /** Whether it is the answer to what was asked: anything else is not worth measuring. */
  isAnswered(answer: Answer, subject: Subject): boolean;
}

const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;

const deliveries = (
  query: (subject: Subject) => Readonly<Record<string, string>>,
  isAnswered: Question['isAnswered'],
): Question => ({
  path: (subject) =>
    `/api/webhooks/${subject.webhookId}/deliveries?${new URLSearchParams(query(subject)).toString()}`,
  isAnswered,
});

const has = (items: Items, field: string, value: unknown): boolean =>
  items.every((item) => item[field] === value);

const around = ({ deliveredAt }: Subject, ms: number) => ({
  from: new Date(deliveredAt.getTime() - ms / 2).toISOString(),
  to: new Date(deliveredAt.getTime() + ms / 2).toISOString(),
});

/** By the beginning of the names of their figures. */
export const QUESTIONS: Readonly<Record<string, Question>> = {
  newest_page: deliveries(
    () => ({}),
    ({ items }) => items.length > 0,
  ),
  deep_page: deliveries(
    ({ deliveryId }) => ({ cursor: deliveryId }),
    ({ items }, { deliveryId }) =>
      items.length > 0 && String(items[0]?.['delivery_id']) < deliveryId,
  ),
  exhausted: deliveries(
    () => ({ status: 'exhausted' }),
    ({ items }) => has(items, 'status', 'exhausted'),
  ),
  kind: deliveries(
    () => ({ kind: 'reminder.sent' }),
    ({ items }) => has(items, 'event_type', 'reminder.sent'),
  ),
  hour: deliveries(
    (subject) => around(subject, HOUR_MS),
    ({ items }) => items.length > 0,
  ),
  delivery: {
    path: ({ webhookId, deliveryId }) => `/api/webhooks/${webhookId}/deliveries/${deliveryId}`,
    isAnswered: (answer, { attempts }) => answer.attempts.length === attempts,
  },
  statistics: {
    path: (subject) =>
      `/api/webhooks/${subject.webhookId}/stats?${new URLSearchParams(around(subject, WEEK_MS)).toString()}`,
    isAnswered: ({ items }) => items.length > 0,
  },
  event: {
    path: ({ messageId }) => `/api/events/${messageId}`,
    isAnswered: (answer) => answer.deliveries.length === 1,
  },
};

/** So many, of busy and of quiet webhooks in turn. */
export async function subjectsOf(
  pool: pg.Pool,
  { days, busy, quiet }: History,
  count: number,
): Promise<readonly Subject[]> {
  const asked = Array.from({ length: count }, (_, n) => {
    const some = n % 2 === 0 ? busy : quiet;
    return some[Math.floor(n / 2) % some.length];
  }).filter((webhook) => webhook !== undefined);
  const ids = [...new Set(asked.map(({ webhookId }) => webhookId.slice('wh_'.length)))];
  const { rows } = await pool.query<Subject>(SUBJECTS, [
    dateOf(days.at(-Math.ceil(days.length / 2)) ?? 0),
    dateOf(days.at(-4) ?? 0),
    ids,
  ]);
  const found = new Map(rows.map((subject) => [subject.webhookId, subject]));
  return asked.flatMap(({ webhookId }) => found.get(webhookId) ?? []);
}

const SUBJECTS = `
with chosen as (
  select distinct on (d.webhook_id) d.webhook_id, d.user_id, d.delivery_id, a.at, t.attempts
    from deliveries d
    join attempts a on a.day = d.day and a.delivery_id = d.delivery_id and a.n = 1
   cross join lateral (select count(*)::integer as attempts from attempts t
                        where t.day = d.day and t.delivery_id = d.delivery_id) t
   where d.day = $1 and d.webhook_id = any ($3::uuid[])
   order by d.webhook_id, t.attempts desc, d.delivery_id
), event as (
  select distinct on (webhook_id) webhook_id, message_id from deliveries
   where day = $2 and webhook_id = any ($3) order by webhook_id, delivery_id
)
select 'wh_' || webhook_id as "webhookId", user_id as "userId", 'dlv_' || delivery_id as "deliveryId",
       attempts, at as "deliveredAt", 'msg_' || message_id as "messageId"
  from chosen join event using (webhook_id)`;
