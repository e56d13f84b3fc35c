import type { Journal } from '@junction/ops';
import type { Logger } from '@junction/service-kit/process';
import type { Application } from '../../application/application.js';
import type { UserDirectory } from '../../application/operator/ports.js';

/** What the methods of AuthAdminService work with. */
export interface AdminOptions {
  readonly app: Application;
  readonly users: UserDirectory;
  /** Where each call is recorded. */
  readonly journal: Journal;
  readonly log: Logger;
}
