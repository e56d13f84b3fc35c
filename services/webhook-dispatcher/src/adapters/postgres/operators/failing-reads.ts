import type pg from 'pg';
import { hostOf } from '../../../domain/webhook/href.js';
import { statement } from '../statement.js';

export interface FailingWebhook {
  readonly webhookId: string;
  readonly userId: string;
  readonly status: string;
  readonly host: string;
  readonly failingSince: Date;
  readonly lastFailedAt: Date;
  readonly reason: string;
  readonly waiting: number;
  readonly probeAt: Date | undefined;
}

export interface FailingUser {
  readonly userId: string;
  readonly failing: number;
  readonly webhooks: number;
  readonly failingSince: Date;
}

/** Waiting deliveries of one webhook are counted up to here. */
const WAITING_MAX = 10_000;

/** Reads failing webhooks, those that have failed for longest first. `userId` undefined: of all users. */
export async function failingWebhooks(
  pool: pg.Pool,
  { userId, limit }: { readonly userId: string | undefined; readonly limit: number },
): Promise<readonly FailingWebhook[]> {
  const { rows } = await readWebhooks(pool, {
    user: userId ?? null,
    limit,
    waiting_max: WAITING_MAX,
  });
  return rows.map((row) => ({
    webhookId: row.webhook_id,
    userId: row.user_id,
    status: row.status,
    host: hostOf(row.url),
    failingSince: row.since,
    lastFailedAt: row.last_at,
    reason: row.reason,
    waiting: row.waiting,
    probeAt: row.probe_at ?? undefined,
  }));
}

const FAILING = `
  from failing_webhooks f join webhooks w on w.webhook_id = 'wh_' || f.webhook_id::text`;

const readWebhooks = statement<{
  webhook_id: string;
  user_id: string;
  status: string;
  url: string;
  since: Date;
  last_at: Date;
  reason: string;
  waiting: number;
  probe_at: Date | null;
}>(
  'operators_failing_webhooks',
  `select w.webhook_id, w.user_id, w.status, w.url, f.since, f.last_at, f.reason, c.probe_at,
          (select count(*)::int from (
             select from pending p where p.webhook_id = f.webhook_id limit :waiting_max) counted) as waiting
   ${FAILING}
     left join circuits c on c.webhook_id = w.webhook_id
    where :user::uuid is null or w.user_id = :user
    order by f.since limit :limit`,
);

/** Reads the users with failing webhooks, those with most of them first. */
export async function failingUsers(
  pool: pg.Pool,
  { limit }: { readonly limit: number },
): Promise<readonly FailingUser[]> {
  const { rows } = await readUsers(pool, { limit });
  return rows.map((row) => ({
    userId: row.user_id,
    failing: row.failing,
    webhooks: row.webhooks,
    failingSince: row.since,
  }));
}

const readUsers = statement<{ user_id: string; failing: number; webhooks: number; since: Date }>(
  'operators_failing_users',
  `with failing as (
     select w.user_id, count(*)::int as failing, min(f.since) as since ${FAILING}
      group by w.user_id order by 2 desc, 3 limit :limit)
   select failing.*,
          (select count(*)::int from webhooks w where w.user_id = failing.user_id) as webhooks
     from failing order by failing desc, since`,
);
