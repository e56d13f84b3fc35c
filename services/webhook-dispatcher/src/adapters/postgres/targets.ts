import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { Target } from '../../application/dispatch/job.js';
import type { WebhookRow } from '../../projections/webhook-row.js';
import { openSecrets } from './webhook-secrets.js';

/** Webhooks as requests are sent to them. Those that are gone are not among them. */
export const loadTargets =
  (pool: pg.Pool, vault: Vault, onError: (error: unknown) => void) =>
  async (ids: readonly string[]): Promise<ReadonlyMap<string, Target>> => {
    const { rows } = await pool.query<WebhookRow>({
      name: 'webhook_targets',
      text: 'select * from webhooks where webhook_id = any ($1)',
      values: [ids],
    });
    const signed = rows.filter(({ has_secret }) => has_secret);
    const secrets = signed.length > 0 ? await openSecrets(pool, vault, signed, onError) : noSecrets;
    return new Map(rows.map((row) => [row.webhook_id, toTarget(row, secrets)]));
  };

const noSecrets: ReadonlyMap<string, readonly string[]> = new Map();

function toTarget(row: WebhookRow, secrets: ReadonlyMap<string, readonly string[]>): Target {
  const ours = secrets.get(row.webhook_id) ?? [];
  // Without its secret it cannot be signed, and unsigned it must not go out: it waits.
  const isUnsignable = row.has_secret && ours.length === 0 && row.status === 'active';
  return {
    webhookId: row.webhook_id,
    userId: row.user_id,
    version: row.version,
    url: row.url,
    status: isUnsignable ? 'paused' : row.status,
    secrets: ours,
    ...(row.circuit_probe_at !== null && { probeAt: row.circuit_probe_at }),
  };
}

/** Of the webhooks a replica knows, those whose version is another by now, or that are gone. */
export const changedWebhooks =
  (pool: pg.Pool) =>
  async (known: ReadonlyMap<string, number>): Promise<readonly string[]> => {
    const { rows } = await pool.query<Pick<WebhookRow, 'webhook_id' | 'version'>>({
      name: 'webhook_versions',
      text: 'select webhook_id, version from webhooks where webhook_id = any ($1)',
      values: [[...known.keys()]],
    });
    const current = new Map(rows.map(({ webhook_id, version }) => [webhook_id, version]));
    return [...known].filter(([id, version]) => current.get(id) !== version).map(([id]) => id);
  };
