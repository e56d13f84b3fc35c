import type { Journal } from '@junction/ops';
import type { Logger } from '@junction/service-kit/process';
import type { Application } from '../../application/application.js';

/** What the methods of AuthAdminService work with. */
export interface AdminOptions {
  readonly app: Application;
  /** Where each call is recorded. */
  readonly journal: Journal;
  readonly log: Logger;
}
