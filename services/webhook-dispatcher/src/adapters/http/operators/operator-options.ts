import type { Journal } from '@junction/service/operators';
import type pg from 'pg';
import type { RotatedWebhookKeys } from '../../../application/sending/ports.js';

/** Dependencies of the routes for operators. */
export interface OperatorRoutesOptions {
  readonly rotate: (request: { readonly hasLeaked: boolean }) => Promise<RotatedWebhookKeys>;
  /** Notifies the replicas that a webhook has changed. */
  readonly webhookChanged: (webhookId: string) => void;
  readonly pool: pg.Pool;
  /** Pool for statements that may take long. */
  readonly maintenance: pg.Pool;
  readonly journal: Journal;
}
