import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { CustomHeaders } from '../../../domain/webhook/custom-headers.js';
import type { WebhookEvent } from '../../../domain/webhook/events.js';
import { isUnreadable } from './webhook-secrets.js';

interface HeadersRow {
  readonly webhook_id: string;
  readonly version: number;
  readonly sealed: Buffer;
}

/** Makes the sealed headers follow the events of one command, in its transaction. */
export async function keepHeaders(
  tx: pg.ClientBase,
  vault: Vault,
  webhookId: string,
  events: readonly WebhookEvent[],
  headers: CustomHeaders | undefined,
): Promise<void> {
  for (const { type, data } of events) {
    if (type !== 'webhook.options_changed') continue;
    if (data.headerNames.length === 0) {
      await tx.query('delete from webhook_headers where webhook_id = $1', [webhookId]);
    } else if (headers !== undefined) {
      const { userId, headersVersion } = data;
      const place = placeOf(webhookId, headersVersion);
      const sealed = await vault.seal(userId, Buffer.from(JSON.stringify(headers)), place, tx);
      await tx.query(
        `insert into webhook_headers (webhook_id, version, sealed) values ($1, $2, $3)
         on conflict (webhook_id) do update set version = excluded.version, sealed = excluded.sealed`,
        [webhookId, headersVersion, sealed],
      );
    }
  }
}

/** The headers of these webhooks. Those that do not open are left out and reported. */
export async function openHeaders(
  pool: pg.Pool,
  vault: Vault,
  webhooks: readonly { readonly webhook_id: string; readonly user_id: string }[],
  onError: (error: unknown) => void,
): Promise<ReadonlyMap<string, CustomHeaders>> {
  const { rows } = await pool.query<HeadersRow>({
    name: 'webhook_headers',
    text: 'select webhook_id, version, sealed from webhook_headers where webhook_id = any ($1)',
    values: [webhooks.map(({ webhook_id }) => webhook_id)],
  });

  const owners = new Map(webhooks.map(({ webhook_id, user_id }) => [webhook_id, user_id]));
  const headers = new Map<string, CustomHeaders>();
  for (const { webhook_id: webhookId, version, sealed } of rows) {
    const owner = owners.get(webhookId);
    if (owner === undefined) continue;
    try {
      const opened = await vault.open(owner, sealed, placeOf(webhookId, version));
      headers.set(webhookId, JSON.parse(opened.toString()) as CustomHeaders);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      onError(error);
    }
  }
  return headers;
}

const placeOf = (webhookId: string, version: number): string =>
  `webhook_headers/${webhookId}/${version}`;
