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
import { sending } from './0003_sending.js';
import { replays } from './0004_replays.js';
import { watching } from './0005_watching.js';
import { privacy } from './0006_privacy.js';
import { numbersAtAGlance } from './0007_numbers_at_a_glance.js';
import { toldFailing } from './0008_told_failing.js';
import { eventTypes } from './0009_event_types.js';
import { watchedAttempts } from './0010_watched_attempts.js';
import { webhookDue } from './0011_webhook_due.js';
import { replayPace } from './0012_replay_pace.js';
import { sentAgain } from './0013_sent_again.js';
import { replayWaits } from './0014_replay_waits.js';
import { oneWebhookOfMany } from './0015_one_webhook_of_many.js';
import { operators } from './0016_operators.js';
import { sendingPauses } from './0017_sending_pauses.js';

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
  sending,
  replays,
  watching,
  privacy,
  numbersAtAGlance,
  toldFailing,
  eventTypes,
  watchedAttempts,
  webhookDue,
  replayPace,
  sentAgain,
  replayWaits,
  oneWebhookOfMany,
  operators,
  sendingPauses,
];
