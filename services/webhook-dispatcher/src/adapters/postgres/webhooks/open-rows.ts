import { findDataKeyRows, ShreddedError, type Vault, VaultError } from '@junction/vault';
import type pg from 'pg';
import type { WebhookOwner } from '../../../application/unit-of-work.js';

/** Row of a webhook with bytes that its user's key has sealed. */
interface SealedRow {
  readonly webhookId: string;
  readonly version: number;
  readonly sealed: Buffer;
}

interface Opening {
  readonly pool: pg.Pool;
  readonly vault: Vault;
  /** Called with the error of a row that does not open, which is no trouble of the other rows. */
  readonly onError: (error: unknown) => void;
}

/**
 * Opens rows of these webhooks with a single read of the keys, and leaves out those that do not open. `placeOf`: where
 * the bytes of a version are kept, as they were sealed for.
 */
export async function openRows<Row extends SealedRow>(
  { pool, vault, onError }: Opening,
  webhooks: readonly WebhookOwner[],
  rows: readonly Row[],
  placeOf: (webhookId: string, version: number) => string,
): Promise<readonly { readonly row: Row; readonly plain: Buffer }[]> {
  const keys = await findDataKeyRows(pool, [...new Set(webhooks.map(({ userId }) => userId))]);
  const owners = new Map(webhooks.map(({ webhookId, userId }) => [webhookId, userId]));
  return rows.flatMap((row) => {
    const { webhookId, version, sealed } = row;
    const owner = owners.get(webhookId);
    if (owner === undefined) return [];
    try {
      const plain = vault.openWith(keys.get(owner), owner, sealed, placeOf(webhookId, version));
      return [{ row, plain }];
    } catch (error) {
      if (!(error instanceof VaultError || error instanceof ShreddedError)) throw error;
      onError(error);
      return [];
    }
  });
}
