import { ShreddedError, type Vault, VaultError } from '@junction/vault';
import type pg from 'pg';
import type { WebhookEvent } from '../../domain/webhook/events.js';

interface SecretRow {
  readonly webhook_id: string;
  readonly version: number;
  readonly sealed: Buffer;
}

/** Makes the sealed secrets follow the events of one command, in its transaction. */
export async function keepSecrets(
  tx: pg.ClientBase,
  vault: Vault,
  webhookId: string,
  events: readonly WebhookEvent[],
  secret: string | undefined,
): Promise<void> {
  for (const event of events) {
    const isBorn = event.type === 'webhook.configured';
    if (!isBorn && event.type !== 'webhook.updated') continue;
    const { userId, secretVersion } = event.data;
    const hasSecret = isBorn ? secretVersion > 0 : event.data.hasSecret;

    if (!hasSecret) {
      await tx.query('delete from webhook_secrets where webhook_id = $1', [webhookId]);
    } else if (secret !== undefined) {
      const place = placeOf(webhookId, secretVersion);
      const sealed = await vault.seal(userId, Buffer.from(secret), place, tx);
      await replace(tx, webhookId, secretVersion, sealed);
    }
  }
}

/** A secret that is configured takes effect at once: nothing of the old one stays. */
async function replace(tx: pg.ClientBase, webhookId: string, version: number, sealed: Buffer) {
  await tx.query('delete from webhook_secrets where webhook_id = $1 and version < $2', [
    webhookId,
    version,
  ]);
  await tx.query('insert into webhook_secrets (webhook_id, version, sealed) values ($1, $2, $3)', [
    webhookId,
    version,
    sealed,
  ]);
}

/**
 * The secrets that deliveries of these webhooks are signed with, newest first. One that does not open
 * is left out and reported: it is no trouble of the other webhooks.
 */
export async function openSecrets(
  pool: pg.Pool,
  vault: Vault,
  webhooks: readonly { readonly webhook_id: string; readonly user_id: string }[],
  onError: (error: unknown) => void,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await pool.query<SecretRow>({
    name: 'webhook_secrets',
    text: `select webhook_id, version, sealed from webhook_secrets
            where webhook_id = any ($1) and (expires_at is null or expires_at > now())
            order by webhook_id, version desc`,
    values: [webhooks.map(({ webhook_id }) => webhook_id)],
  });

  const owners = new Map(webhooks.map(({ webhook_id, user_id }) => [webhook_id, user_id]));
  const secrets = new Map<string, string[]>();
  for (const { webhook_id: webhookId, version, sealed } of rows) {
    const owner = owners.get(webhookId);
    if (owner === undefined) continue;
    const place = placeOf(webhookId, version);
    const secret = await vault.open(owner, sealed, place).catch((error: unknown) => {
      if (!isUnreadable(error)) throw error;
      onError(error);
      return undefined;
    });
    if (secret) secrets.set(webhookId, [...(secrets.get(webhookId) ?? []), secret.toString()]);
  }
  return secrets;
}

const isUnreadable = (error: unknown): boolean =>
  error instanceof VaultError || error instanceof ShreddedError;

const placeOf = (webhookId: string, version: number): string =>
  `webhook_secrets/${webhookId}/${version}`;
