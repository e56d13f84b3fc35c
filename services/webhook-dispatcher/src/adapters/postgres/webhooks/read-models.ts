import { type ProjectionSet, rowProjection } from '@junction/eventsourcing-postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { WebhookEvent } from '../../../domain/webhook/events.js';
import { webhookRow } from '../../../projections/webhook-row.js';
import { webhookCodec } from './event-codec.js';

/** What a request must read back is written in the transaction of its events. */
export const inline = [rowProjection(webhookRow)];

export interface ReadModelParts {
  readonly pool: pg.Pool;
  readonly vault: Vault;
}

/** All read models of this service, for listing and rebuilding them. */
export const readModels = ({ pool, vault }: ReadModelParts): ProjectionSet<WebhookEvent> => ({
  pool,
  codec: webhookCodec(vault),
  inline,
});
