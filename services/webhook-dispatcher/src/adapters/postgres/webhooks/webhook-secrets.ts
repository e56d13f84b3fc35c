import { ShreddedError, type Vault, VaultError } from '@junction/vault';
import type pg from 'pg';
import type { Secret } from '../../../application/dispatch/job.js';
import type { WebhookEvent } from '../../../domain/webhook/events.js';

interface SecretRow {
  readonly webhook_id: string;
  readonly version: number;
  readonly sealed: Buffer;
  readonly expires_at: Date | null;
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
    if (event.type === 'webhook.configured' || event.type === 'webhook.updated') {
      const { userId, secretVersion: version } = event.data;
      const hasSecret = event.type === 'webhook.updated' ? event.data.hasSecret : version > 0;
      // A secret that is configured takes effect at once: nothing of the old ones stays.
      if (!hasSecret || secret !== undefined) await forget(tx, webhookId);
      if (hasSecret && secret !== undefined) {
        await insert(tx, vault, { webhookId, userId, version, secret });
      }
    } else if (event.type === 'webhook.secret_rotated') {
      const { userId, secretVersion: version, previousExpiresAt } = event.data;
      if (secret === undefined) throw new Error('A rotation without the secret to rotate to.');
      await limit(tx, webhookId, { version, previousExpiresAt });
      await insert(tx, vault, { webhookId, userId, version, secret });
    }
  }
}

const forget = async (tx: pg.ClientBase, webhookId: string): Promise<void> => {
  await tx.query('delete from webhook_secrets where webhook_id = $1', [webhookId]);
};

/** However often a secret is rotated, a request carries no more signatures than this. */
const SECRETS_MAX = 5;

/** The secrets before the rotation end, each at its time or earlier, and the oldest at once. */
async function limit(
  tx: pg.ClientBase,
  webhookId: string,
  { version, previousExpiresAt }: { version: number; previousExpiresAt: string | null },
): Promise<void> {
  await tx.query(
    'delete from webhook_secrets where webhook_id = $1 and (version <= $2 or expires_at <= now())',
    [webhookId, version - SECRETS_MAX],
  );
  await tx.query(
    `update webhook_secrets set expires_at = least(expires_at, $2::timestamptz) where webhook_id = $1`,
    [webhookId, previousExpiresAt],
  );
}

interface NewSecret {
  readonly webhookId: string;
  readonly userId: string;
  readonly version: number;
  readonly secret: string;
}

async function insert(
  tx: pg.ClientBase,
  vault: Vault,
  { webhookId, userId, version, secret }: NewSecret,
): Promise<void> {
  const place = placeOf(webhookId, version);
  const sealed = await vault.seal(userId, Buffer.from(secret), place, tx);
  await tx.query('insert into webhook_secrets (webhook_id, version, sealed) values ($1, $2, $3)', [
    webhookId,
    version,
    sealed,
  ]);
}

/** Takes away the secrets whose rotation is over; nothing was signed with them since. */
export const removeExpiredSecrets = async (pool: pg.Pool): Promise<void> => {
  await pool.query('delete from webhook_secrets where expires_at <= now()');
};

/**
 * The secrets that deliveries of these webhooks are signed with, newest first. One that does not open
 * is left out and reported: it is no trouble of the other webhooks.
 */
export async function openSecrets(
  pool: pg.Pool,
  vault: Vault,
  webhooks: readonly { readonly webhook_id: string; readonly user_id: string }[],
  onError: (error: unknown) => void,
): Promise<ReadonlyMap<string, readonly Secret[]>> {
  const { rows } = await pool.query<SecretRow>({
    name: 'webhook_secrets',
    text: `select webhook_id, version, sealed, expires_at from webhook_secrets
            where webhook_id = any ($1) and (expires_at is null or expires_at > now())
            order by webhook_id, version desc`,
    values: [webhooks.map(({ webhook_id }) => webhook_id)],
  });

  const owners = new Map(webhooks.map(({ webhook_id, user_id }) => [webhook_id, user_id]));
  const secrets = new Map<string, Secret[]>();
  for (const { webhook_id: webhookId, version, sealed, expires_at: expiresAt } of rows) {
    const owner = owners.get(webhookId);
    if (owner === undefined) continue;
    const place = placeOf(webhookId, version);
    const opened = await vault.open(owner, sealed, place).catch((error: unknown) => {
      if (!isUnreadable(error)) throw error;
      onError(error);
      return undefined;
    });
    if (opened === undefined) continue;
    const secret = { version, text: opened.toString(), ...(expiresAt && { expiresAt }) };
    secrets.set(webhookId, [...(secrets.get(webhookId) ?? []), secret]);
  }
  return secrets;
}

export const isUnreadable = (error: unknown): boolean =>
  error instanceof VaultError || error instanceof ShreddedError;

const placeOf = (webhookId: string, version: number): string =>
  `webhook_secrets/${webhookId}/${version}`;
