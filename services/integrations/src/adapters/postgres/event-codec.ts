import { type EventCodec, jsonCodec, schema } from '@junction/eventsourcing';
import { personalFields, type Vault } from '@junction/vault';
import { z } from 'zod';
import {
  type ConnectionEvent,
  PROVIDERS,
  REVOCATION_OUTCOMES,
  REVOKED_REASONS,
} from '../../domain/connection/events.js';

const at = z.iso.datetime();
const about = {
  userId: z.uuid(),
  identityProvider: z.string(),
  provider: z.enum(PROVIDERS),
  account: z.string(),
  at,
};
const scopes = { grantedScopes: z.array(z.string()), missingScopes: z.array(z.string()) };
const credentialVersion = z.int().positive();

const connected = z.object({
  ...about,
  ...scopes,
  credentialVersion,
  accountId: z.string(),
  madePrimary: z.literal(true).exactOptional(),
  renewable: z.boolean(),
  expiresAt: at,
});
const failed = z.object({ ...about, credentialVersion, reason: z.string() });
const revoked = z.object({ ...about, credentialVersion, reason: z.enum(REVOKED_REASONS) });
const disconnected = z.object({ ...about, reason: z.enum(['user', 'user_deleted']) });
const revocationOutcome = z.object({ ...about, outcome: z.enum(REVOCATION_OUTCOMES) });
const plain = z.object(about);

/** Every type and schema version ever stored, with personal fields opened; golden/ has a file for each. */
export const connectionEvents = jsonCodec<ConnectionEvent>({
  'integration.connected': schema(connected.parse),
  'integration.degraded': schema(failed.parse),
  'integration.recovered': schema(plain.parse),
  'integration.reconnect_required': schema(failed.parse),
  'integration.revoked': schema(revoked.parse),
  'integration.disconnected': schema(disconnected.parse),
  'integration.revocation_settled': schema(revocationOutcome.parse),
  'integration.made_primary': schema(plain.parse),
  'integration.deleted': schema(plain.parse),
});

/** Creates the codec of stored events of connections. The account of a connection is sealed with its user's key. */
export const connectionCodec = (vault: Vault): EventCodec<ConnectionEvent> =>
  personalFields(connectionEvents, {
    vault,
    subjectOf: (_, { data }) => data.userId,
    fields: {
      'integration.connected': ['account', 'accountId'],
      'integration.degraded': ['account'],
      'integration.recovered': ['account'],
      'integration.reconnect_required': ['account'],
      'integration.revoked': ['account'],
      'integration.disconnected': ['account'],
      'integration.revocation_settled': ['account'],
      'integration.made_primary': ['account'],
      'integration.deleted': ['account'],
    },
  });
