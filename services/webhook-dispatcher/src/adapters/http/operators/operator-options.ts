import type { Journal } from '@junction/operations';
import type pg from 'pg';
import type { Application } from '../../../application/application.js';
import type { Dispatch } from '../../../application/sending/ports.js';

/** Dependencies of the routes for operators. */
export interface OperatorRoutesOptions {
  readonly app: Pick<Application, 'rotateWebhookKeys'>;
  readonly dispatch: Pick<Dispatch, 'webhookChanged'>;
  readonly pool: pg.Pool;
  /** Pool for statements that may take long. */
  readonly maintenance: pg.Pool;
  readonly journal: Journal;
}
