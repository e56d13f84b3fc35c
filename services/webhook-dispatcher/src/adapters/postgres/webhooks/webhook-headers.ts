import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { WebhookOwner } from '../../../application/unit-of-work.js';
import type { CustomHeaders } from '../../../domain/webhook/custom-headers.js';
import { statement } from '../statement.js';
import { openRows } from './open-rows.js';

interface HeadersRow {
  readonly webhookId: string;
  readonly version: number;
  readonly sealed: Buffer;
}

/** Values of custom headers, sealed, within a transaction. */
export const headerTable = (tx: pg.ClientBase, vault: Vault) => ({
  async replace({ webhookId, userId }: WebhookOwner, version: number, headers: CustomHeaders) {
    const plain = Buffer.from(JSON.stringify(headers));
    const sealed = await vault.seal(userId, plain, placeOf(webhookId, version), tx);
    await saveHeaders(tx, { webhook_id: webhookId, version, sealed });
  },

  delete: async (webhookId: string) => void (await deleteHeaders(tx, { webhook_id: webhookId })),
});

/** The headers of these webhooks, without those that do not open. */
export async function openHeaders(
  pool: pg.Pool,
  vault: Vault,
  webhooks: readonly WebhookOwner[],
  onError: (error: unknown) => void,
): Promise<ReadonlyMap<string, CustomHeaders>> {
  const webhook_ids = webhooks.map(({ webhookId }) => webhookId);
  const { rows } = await readHeaders(pool, { webhook_ids });
  const opened = await openRows({ pool, vault, onError }, webhooks, rows, placeOf);
  return new Map(
    opened.map(({ row, plain }) => [row.webhookId, JSON.parse(plain.toString()) as CustomHeaders]),
  );
}

const readHeaders = statement<HeadersRow>(
  'webhook_headers',
  `select webhook_id as "webhookId", version, sealed from webhook_headers
    where webhook_id = any (:webhook_ids)`,
  { webhook_ids: 'wh', webhookId: 'wh' },
);

const saveHeaders = statement(
  'save_webhook_headers',
  `insert into webhook_headers (webhook_id, version, sealed) values (:webhook_id, :version, :sealed)
   on conflict (webhook_id) do update set version = excluded.version, sealed = excluded.sealed`,
  { webhook_id: 'wh' },
);

const deleteHeaders = statement(
  'delete_webhook_headers',
  'delete from webhook_headers where webhook_id = :webhook_id',
  { webhook_id: 'wh' },
);

const placeOf = (webhookId: string, version: number): string =>
  `webhook_headers/${webhookId}/${version}`;
