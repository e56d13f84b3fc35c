import type { Journal } from '@junction/ops';
import type { Logger } from '@junction/service-kit/process';
import type pg from 'pg';
import type { rotateWebhookKeys } from '../../application/rotate-webhook-keys.js';

/** Dependencies of the methods for operators. */
export interface AdminOptions {
  readonly rotate: ReturnType<typeof rotateWebhookKeys>;
  /** Notifies the replicas that a webhook has changed. */
  readonly webhookChanged: (webhookId: string) => void;
  readonly pool: pg.Pool;
  /** Pool for statements that may take long. */
  readonly maintenance: pg.Pool;
  readonly journal: Journal;
  readonly log: Logger;
}
