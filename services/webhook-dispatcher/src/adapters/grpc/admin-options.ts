import type { Journal } from '@junction/ops';
import type { Logger } from '@junction/service-kit/process';
import type pg from 'pg';
import type { rotateWebhookKeys } from '../../application/rotate-webhook-keys.js';

/** What operators' methods work with. */
export interface AdminOptions {
  readonly rotate: ReturnType<typeof rotateWebhookKeys>;
  /** Tells the replicas that something about a webhook is another. */
  readonly webhookChanged: (webhookId: string) => void;
  readonly pool: pg.Pool;
  /** For statements that may take long. */
  readonly maintenance: pg.Pool;
  readonly journal: Journal;
  readonly log: Logger;
}
