import { eventStoreMigrations, type Migration } from '@junction/eventsourcing/postgres';
import { messagingMigrations } from '@junction/messaging';
import { apiUseMigrations } from '@junction/service/callers';
import { vaultMigrations } from '@junction/vault';
import * as users from './0001_users.js';
import * as sessions from './0002_sessions.js';
import * as apiKeys from './0003_api_keys.js';
import * as signingKeys from './0004_signing_keys.js';
import * as attempts from './0005_attempts.js';
import * as clients from './0006_clients.js';
import * as mail from './0007_mail.js';
import * as secondFactors from './0008_second_factors.js';
import * as passkeys from './0009_passkeys.js';
import * as deletionReceipts from './0010_deletion_receipts.js';
import * as roles from './0011_roles.js';
import * as origins from './0012_origins.js';
import * as portalTokens from './0013_portal_tokens.js';
import * as passwordProofs from './0014_password_proofs.js';
import * as sessionConfirmations from './0015_session_confirmations.js';
import * as accountChanges from './0016_account_changes.js';

/** Everything that lies in this service's database, in the order in which it is made. */
export const migrations: readonly Migration[] = [
  ...eventStoreMigrations,
  ...messagingMigrations,
  ...vaultMigrations,
  ...apiUseMigrations,
  users,
  sessions,
  apiKeys,
  signingKeys,
  attempts,
  clients,
  mail,
  secondFactors,
  passkeys,
  deletionReceipts,
  roles,
  origins,
  portalTokens,
  passwordProofs,
  sessionConfirmations,
  accountChanges,
];
