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
  return rows.map(({ url, ...row }) => ({
    ...row,
    host: hostOf(url),
    probeAt: row.probeAt ?? undefined,
  }));
}

const FAILING = `
  from failing_webhooks f join webhooks w on w.webhook_id = f.webhook_id`;

interface FailingRow extends Omit<FailingWebhook, 'host' | 'probeAt'> {
  readonly url: string;
  readonly probeAt: Date | null;
}

const readWebhooks = statement<FailingRow>(
  'operators_failing_webhooks',
  `select w.webhook_id as "webhookId", w.user_id as "userId", w.status, w.url, f.reason,
          f.since as "failingSince", f.last_at as "lastFailedAt", c.probe_at as "probeAt",
          (select count(*)::int from (
             select from pending p where p.webhook_id = f.webhook_id limit :waiting_max) counted) as waiting
   ${FAILING}
     left join circuits c on c.webhook_id = w.webhook_id
    where :user::uuid is null or w.user_id = :user
    order by f.since limit :limit`,
  { webhookId: 'wh' },
);

/** Reads the users with failing webhooks, those with most of them first. */
export async function failingUsers(
  pool: pg.Pool,
  { limit }: { readonly limit: number },
): Promise<readonly FailingUser[]> {
  return (await readUsers(pool, { limit })).rows;
}

const readUsers = statement<FailingUser>(
  'operators_failing_users',
  `with failing as (
     select w.user_id, count(*)::int as failing, min(f.since) as since ${FAILING}
      group by w.user_id order by 2 desc, 3 limit :limit)
   select user_id as "userId", failing, since as "failingSince",
          (select count(*)::int from webhooks w where w.user_id = failing.user_id) as webhooks
     from failing order by failing desc, since`,
);
