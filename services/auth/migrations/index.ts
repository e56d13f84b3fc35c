import { eventStoreMigrations, type Migration } from '@junction/eventsourcing/postgres';
import { messagingMigrations } from '@junction/messaging';
import { apiUseMigrations, idempotencyMigrations } from '@junction/service/callers';
import { vaultMigrations } from '@junction/vault';
import * as users from './0001_users.js';
import * as sessions from './0002_sessions.js';
import * as apiKeys from './0003_api_keys.js';
import * as signingKeys from './0004_signing_keys.js';
import * as attempts from './0005_attempts.js';
import * as clients from './0006_clients.js';
import * as accountChanges from './0007_account_changes.js';
import * as mail from './0008_mail.js';
import * as secondFactors from './0009_second_factors.js';
import * as deletionReceipts from './0010_deletion_receipts.js';
import * as portalTokens from './0011_portal_tokens.js';
import * as troubles from './0012_troubles.js';
import * as firstSteps from './0013_first_steps.js';
import * as troubleNames from './0014_trouble_names.js';
import * as mailedLinks from './0015_mailed_links.js';
import * as closedAccounts from './0016_closed_accounts.js';
import * as portalIds from './0017_portal_ids.js';
import * as webhooks from './0018_webhooks.js';
import * as issuerAnswers from './0019_issuer_answers.js';
import * as operators from './0020_operators.js';

/** Everything that lies in this service's database, in the order in which it is made. */
export const migrations: readonly Migration[] = [
  ...eventStoreMigrations,
  ...messagingMigrations,
  ...vaultMigrations,
  ...idempotencyMigrations,
  ...apiUseMigrations,
  users,
  sessions,
  apiKeys,
  signingKeys,
  attempts,
  clients,
  accountChanges,
  mail,
  secondFactors,
  deletionReceipts,
  portalTokens,
  troubles,
  firstSteps,
  troubleNames,
  mailedLinks,
  closedAccounts,
  portalIds,
  webhooks,
  issuerAnswers,
  operators,
];
