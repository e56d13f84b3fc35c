import { eventStoreMigrations, type Migration } from '@junction/eventsourcing-postgres';
import { messagingMigrations } from '@junction/messaging';
import { idempotencyMigrations, revocationMigrations } from '@junction/service-kit';
import { vaultMigrations } from '@junction/vault';
import { webhooks } from './0001_webhooks.js';
import { deliveries } from './0002_deliveries.js';
import { shards } from './0003_shards.js';
import { turns } from './0004_turns.js';
import { webhookOptions } from './0005_webhook_options.js';
import { reading } from './0006_reading.js';
import { redactions } from './0007_redactions.js';
import { eventsOfUser } from './0008_events_of_user.js';
import { answers } from './0009_answers.js';
import { endings } from './0010_endings.js';
import { webhookChanges } from './0011_webhook_changes.js';
import { circuits } from './0012_circuits.js';

/** Everything that lies in this service's database, in the order in which it is made. */
export const migrations: readonly Migration[] = [
  ...eventStoreMigrations,
  ...messagingMigrations,
  ...vaultMigrations,
  ...idempotencyMigrations,
  ...revocationMigrations,
  webhooks,
  deliveries,
  shards,
  turns,
  webhookOptions,
  reading,
  redactions,
  eventsOfUser,
  answers,
  endings,
  webhookChanges,
  circuits,
];
