import type { Platform } from '@junction/service';
import type { SigningKeys } from '../adapters/jwt/signing-keys.js';
import type { Application } from '../application/application.js';
import type { Config } from '../config.js';
import type { AuthEvent } from '../domain/auth-event.js';
import { RELOAD_MS } from '../domain/signing-key/rotation.js';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

/** Starts what is done from time to time, asked by nobody. */
export function startJobs(
  { job }: Pick<Platform<Config, AuthEvent>, 'job'>,
  app: Application,
  keys: Pick<SigningKeys, 'reload'>,
): void {
  job('successors', 5 * SECOND_MS, app.deleteSuccessors);
  job('expired sessions', 60 * SECOND_MS, app.endExpiredSessions);
  job('ended counts', 60 * SECOND_MS, app.deleteEndedCounts);
  job('api key uses', 10 * SECOND_MS, app.writeApiKeyUses);
  job('deletion receipts', HOUR_MS, app.purgeReceipts);
  job('account changes', 60 * SECOND_MS, app.deleteEndedChanges);
  job('key reload', RELOAD_MS, keys.reload);
  job('signing key rotation', HOUR_MS, app.rotateOnSchedule);
}
