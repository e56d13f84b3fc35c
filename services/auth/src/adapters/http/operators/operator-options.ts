import type { Journal } from '@junction/operations';
import type { Application } from '../../../application/application.js';
import type { UserDirectory } from '../../../application/operators/ports.js';

/** Dependencies of the routes for operators. */
export interface OperatorRoutesOptions {
  readonly app: Application;
  readonly users: UserDirectory;
  /** Where each call is recorded. */
  readonly journal: Journal;
}
