import { eventStoreMigrations, type Migration } from '@junction/eventsourcing/postgres';
import { messagingMigrations } from '@junction/messaging';
import {
  apiUseMigrations,
  idempotencyMigrations,
  revocationMigrations,
} from '@junction/service/callers';
import { vaultMigrations } from '@junction/vault';
import { webhooks } from './0001_webhooks.js';
import { deliveries } from './0002_deliveries.js';
import { shards } from './0003_shards.js';
import { replays } from './0004_replays.js';
import { watching } from './0005_watching.js';
import { redactions } from './0006_redactions.js';
import { webhookKeys } from './0007_webhook_keys.js';
import { metadata } from './0008_metadata.js';
import { webhooksSharingUrls } from './0009_webhooks_sharing_urls.js';
import { eventListeners } from './0010_event_listeners.js';
import { traces } from './0011_traces.js';
import { deliveryMarks } from './0012_delivery_marks.js';
import { eventTimes } from './0013_event_times.js';

/** Everything that lies in this service's database, in the order in which it is made. */
export const migrations: readonly Migration[] = [
  ...eventStoreMigrations,
  ...messagingMigrations,
  ...vaultMigrations,
  ...idempotencyMigrations,
  ...revocationMigrations,
  ...apiUseMigrations,
  webhooks,
  deliveries,
  shards,
  replays,
  watching,
  redactions,
  webhookKeys,
  metadata,
  webhooksSharingUrls,
  eventListeners,
  traces,
  deliveryMarks,
  eventTimes,
];
