import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { HeaderTable, WebhookOwner } from '../../../application/unit-of-work.js';
import type { CustomHeaders } from '../../../domain/webhook/custom-headers.js';
import { isUnreadable } from './webhook-secrets.js';

interface HeadersRow {
  readonly webhook_id: string;
  readonly version: number;
  readonly sealed: Buffer;
}

/** The headers of webhooks, within a transaction. */
export const headerTable = (tx: pg.ClientBase, vault: Vault): HeaderTable => ({
  async replace({ webhookId, userId }, version, headers) {
    const plain = Buffer.from(JSON.stringify(headers));
    const sealed = await vault.seal(userId, plain, placeOf(webhookId, version), tx);
    await tx.query(
      `insert into webhook_headers (webhook_id, version, sealed) values ($1, $2, $3)
       on conflict (webhook_id) do update set version = excluded.version, sealed = excluded.sealed`,
      [webhookId, version, sealed],
    );
  },

  async delete(webhookId) {
    await tx.query('delete from webhook_headers where webhook_id = $1', [webhookId]);
  },
});

/** The headers of these webhooks. Those that do not open are left out and reported. */
export async function openHeaders(
  pool: pg.Pool,
  vault: Vault,
  webhooks: readonly WebhookOwner[],
  onError: (error: unknown) => void,
): Promise<ReadonlyMap<string, CustomHeaders>> {
  const { rows } = await pool.query<HeadersRow>({
    name: 'webhook_headers',
    text: 'select webhook_id, version, sealed from webhook_headers where webhook_id = any ($1)',
    values: [webhooks.map(({ webhookId }) => webhookId)],
  });

  const owners = new Map(webhooks.map(({ webhookId, userId }) => [webhookId, userId]));
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
