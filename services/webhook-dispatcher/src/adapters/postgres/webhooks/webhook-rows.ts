import type pg from 'pg';
import { type Page, type PageRequest, pageOf } from '../../../application/page.js';
import type { WebhookRow } from '../../../projections/webhook-row.js';
import { RESTING_WEBHOOKS } from '../sending/circuit-rests.js';

/** What is read of webhooks, always by their owner. */
export const webhookRows = (pool: pg.Pool) => ({
  async byHref(userId: string, href: string): Promise<WebhookRow | undefined> {
    const { rows } = await pool.query<WebhookRow>({
      name: 'webhook_by_href',
      text: `${RESTING_WEBHOOKS} where w.user_id = $1 and w.href = $2`,
      values: [userId, href],
    });
    return rows[0];
  },

  async byId(userId: string, webhookId: string): Promise<WebhookRow | undefined> {
    const { rows } = await pool.query<WebhookRow>({
      name: 'webhook_by_id',
      text: `${RESTING_WEBHOOKS} where w.webhook_id = $1 and w.user_id = $2`,
      values: [webhookId, userId],
    });
    return rows[0];
  },

  /** Newest first: their ids begin with the time. */
  async page(userId: string, { after, limit }: PageRequest): Promise<Page<WebhookRow>> {
    const { rows } = await pool.query<WebhookRow>({
      name: 'webhook_page',
      text: `${RESTING_WEBHOOKS}
              where w.user_id = $1 and ($2::text is null or w.webhook_id < $2)
              order by w.webhook_id desc limit $3`,
      values: [userId, after ?? null, limit + 1],
    });
    return pageOf(rows, limit, ({ webhook_id }) => webhook_id);
  },
});
