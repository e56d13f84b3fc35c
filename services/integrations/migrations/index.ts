import { eventStoreMigrations, type Migration } from '@junction/eventsourcing-postgres';
import { messagingMigrations } from '@junction/messaging';
import { idempotencyMigrations, revocationMigrations } from '@junction/service-kit';
import { vaultMigrations } from '@junction/vault';
import { connections } from './0001_connections.js';
import { pendingAuthorizations } from './0002_pending_authorizations.js';
import { credentials } from './0003_credentials.js';
import { refreshAhead } from './0004_refresh_ahead.js';
import { connectionChecks } from './0006_connection_checks.js';
import { securityEvents } from './0007_security_events.js';
import { providerRevocation } from './0008_provider_revocation.js';
import { returnTo } from './0009_return_to.js';
import { refreshTokenIndex } from './0010_refresh_token_index.js';
import { lostAnswers } from './0011_lost_answers.js';
import { unansweredChecks } from './0012_unanswered_checks.js';

/** Everything that lies in this service's database, in the order in which it is made. */
export const migrations: readonly Migration[] = [
  ...eventStoreMigrations,
  ...messagingMigrations,
  ...vaultMigrations,
  ...idempotencyMigrations,
  ...revocationMigrations,
  connections,
  pendingAuthorizations,
  credentials,
  refreshAhead,
  connectionChecks,
  securityEvents,
  providerRevocation,
  returnTo,
  refreshTokenIndex,
  lostAnswers,
  unansweredChecks,
];
