import { eventStoreMigrations, type Migration } from '@junction/eventsourcing/postgres';
import { messagingMigrations } from '@junction/messaging';
import {
  apiUseMigrations,
  idempotencyMigrations,
  revocationMigrations,
} from '@junction/service/callers';
import { vaultMigrations } from '@junction/vault';
import { connections } from './0001_connections.js';
import { authorizations } from './0002_authorizations.js';
import { credentials } from './0003_credentials.js';
import { providerSignals } from './0004_provider_signals.js';
import { codeOutcomes } from './0005_code_outcomes.js';

/** Everything that lies in this service's database, in the order in which it is made. */
export const migrations: readonly Migration[] = [
  ...eventStoreMigrations,
  ...messagingMigrations,
  ...vaultMigrations,
  ...idempotencyMigrations,
  ...revocationMigrations,
  ...apiUseMigrations,
  connections,
  authorizations,
  credentials,
  providerSignals,
  codeOutcomes,
];
