import type { Journal } from '@junction/operations';
import type { Reading } from '@junction/service';
import type { Application } from '../../../application/application.js';

/** Dependencies of the routes for operators. */
export interface OperatorRoutesOptions {
  readonly app: Application;
  /** Reads, of which each is recorded. */
  readonly reading: Reading;
  /** Where each call is recorded. */
  readonly journal: Journal;
}
