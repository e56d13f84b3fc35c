import type pg from 'pg';
import type { WebhookNotice } from '../../../application/unit-of-work.js';
import { statement } from '../statement.js';

/** Kinds that auth mails to the owner, who has to see which webhook it is. */
const MAILED: readonly string[] = ['webhook.failing', 'webhook.disabled'];

/** Returns the hosts of the webhooks that these notices are about, of the kinds that are mailed. */
export async function hostsOf(
  tx: pg.ClientBase,
  notices: readonly WebhookNotice[],
): Promise<ReadonlyMap<string, string>> {
  const mailed = notices.filter(({ kind }) => MAILED.includes(kind));
  if (mailed.length === 0) return new Map();
  const { rows } = await readUrls(tx, { webhook_ids: mailed.map(({ data }) => data.webhook_id) });
  return new Map(rows.map(({ webhookId, url }) => [webhookId, new URL(url).host]));
}

const readUrls = statement<{ readonly webhookId: string; readonly url: string }>(
  'urls_of_webhooks',
  'select webhook_id as "webhookId", url from webhooks where webhook_id = any (:webhook_ids::uuid[])',
  { webhook_ids: 'wh', webhookId: 'wh' },
);
