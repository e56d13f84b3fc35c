import type { Journal } from '@junction/ops';
import type { Logger } from '@junction/service-kit/process';
import type { Application } from '../../application/application.js';
import type { UserDirectory } from '../../application/operator/ports.js';

/** The parts that the methods of AuthAdminService use. */
export interface AdminOptions {
  readonly app: Application;
  readonly users: UserDirectory;
  /** Where each call is recorded. */
  readonly journal: Journal;
  readonly log: Logger;
}
