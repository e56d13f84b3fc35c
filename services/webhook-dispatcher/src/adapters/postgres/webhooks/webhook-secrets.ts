import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { Secret } from '../../../application/job.js';
import type { WebhookOwner } from '../../../application/unit-of-work.js';
import { statement } from '../statement.js';
import { openRows } from './open-rows.js';

interface SecretRow {
  readonly webhookId: string;
  readonly version: number;
  readonly sealed: Buffer;
  readonly expiresAt: Date | null;
}

type Rotation = { readonly version: number; readonly previousExpiresAt: string | null };

/** However often a secret is rotated, a request carries no more signatures than this. */
const SECRETS_MAX = 5;

/** Secrets that sign requests, sealed, within a transaction. */
export function secretTable(tx: pg.ClientBase, vault: Vault) {
  const deleteAll = async (webhookId: string): Promise<void> => {
    await deleteSecrets(tx, { webhook_id: webhookId });
  };
  const insert = async ({ webhookId, userId }: WebhookOwner, version: number, secret: string) => {
    const place = placeOf(webhookId, version);
    const sealed = await vault.seal(userId, Buffer.from(secret), place, tx);
    await insertSecret(tx, { webhook_id: webhookId, version, sealed });
  };

  return {
    /** Deletes all secrets of the webhook and inserts this one. */
    async replace(webhook: WebhookOwner, version: number, secret: string) {
      await deleteAll(webhook.webhookId);
      await insert(webhook, version, secret);
    },

    /** Inserts a secret. Those before it end at `previousExpiresAt` or earlier, the oldest at once. */
    async rotate(webhook: WebhookOwner, { version, previousExpiresAt }: Rotation, secret: string) {
      const { webhookId: webhook_id } = webhook;
      await deleteOldSecrets(tx, { webhook_id, version: version - SECRETS_MAX });
      await expireSecrets(tx, { webhook_id, expires_at: previousExpiresAt });
      await insert(webhook, version, secret);
    },

    delete: deleteAll,
  };
}

/** Deletes the secrets whose rotation is over; nothing was signed with them since. */
export const purgeExpiredSecrets = async (pool: pg.Pool): Promise<void> => {
  await pool.query('delete from webhook_secrets where expires_at <= now()');
};

/** The secrets that deliveries of these webhooks are signed with, newest first; without those that do not open. */
export async function openSecrets(
  pool: pg.Pool,
  vault: Vault,
  webhooks: readonly WebhookOwner[],
  onError: (error: unknown) => void,
): Promise<ReadonlyMap<string, readonly Secret[]>> {
  const webhook_ids = webhooks.map(({ webhookId }) => webhookId);
  const { rows } = await readSecrets(pool, { webhook_ids });
  const secrets = new Map<string, Secret[]>();
  for (const { row, plain } of await openRows({ pool, vault, onError }, webhooks, rows, placeOf)) {
    const { webhookId, version, expiresAt } = row;
    const secret = { version, text: plain.toString(), ...(expiresAt && { expiresAt }) };
    secrets.set(webhookId, [...(secrets.get(webhookId) ?? []), secret]);
  }
  return secrets;
}

const readSecrets = statement<SecretRow>(
  'webhook_secrets',
  `select webhook_id as "webhookId", version, sealed, expires_at as "expiresAt" from webhook_secrets
    where webhook_id = any (:webhook_ids) and (expires_at is null or expires_at > now())
    order by webhook_id, version desc`,
  { webhook_ids: 'wh', webhookId: 'wh' },
);

const insertSecret = statement(
  'insert_webhook_secret',
  `insert into webhook_secrets (webhook_id, version, sealed)
   values (:webhook_id, :version, :sealed)`,
  { webhook_id: 'wh' },
);

const deleteSecrets = statement(
  'delete_webhook_secrets',
  'delete from webhook_secrets where webhook_id = :webhook_id',
  { webhook_id: 'wh' },
);

const deleteOldSecrets = statement(
  'delete_old_webhook_secrets',
  `delete from webhook_secrets
    where webhook_id = :webhook_id and (version <= :version or expires_at <= now())`,
  { webhook_id: 'wh' },
);

const expireSecrets = statement(
  'expire_webhook_secrets',
  `update webhook_secrets set expires_at = least(expires_at, :expires_at::timestamptz)
    where webhook_id = :webhook_id`,
  { webhook_id: 'wh' },
);

const placeOf = (webhookId: string, version: number): string =>
  `webhook_secrets/${webhookId}/${version}`;
