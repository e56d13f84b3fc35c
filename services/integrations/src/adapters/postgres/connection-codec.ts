import { type EventCodec, jsonCodec } from '@junction/eventsourcing';
import { personalFields, type Vault } from '@junction/vault';
import { z } from 'zod';
import { type ConnectionEvent, PROVIDERS } from '../../domain/connection/events.js';

const at = z.iso.datetime();
const about = { userId: z.uuid(), provider: z.enum(PROVIDERS), at };
const scopes = { grantedScopes: z.array(z.string()), missingScopes: z.array(z.string()) };
const credentialVersion = z.int().positive();

const connected = z.object({
  ...about,
  ...scopes,
  credentialVersion,
  account: z.string(),
  accountId: z.string(),
  renewable: z.boolean(),
  expiresAt: at,
});
const refreshed = z.object({ ...about, ...scopes, credentialVersion, expiresAt: at });
const failed = z.object({ ...about, credentialVersion, reason: z.string() });
const disconnected = z.object({ ...about, reason: z.enum(['user', 'user_deleted']) });
const plain = z.object(about);

/** Stored events of connections; which account it is about is sealed with its user's key. */
export const connectionCodec = (vault: Vault): EventCodec<ConnectionEvent> =>
  personalFields(
    jsonCodec<ConnectionEvent>({
      'integration.connected': [(data) => connected.parse(data)],
      'integration.refreshed': [(data) => refreshed.parse(data)],
      'integration.degraded': [(data) => failed.parse(data)],
      'integration.recovered': [(data) => plain.parse(data)],
      'integration.reconnect_required': [(data) => failed.parse(data)],
      'integration.disconnected': [(data) => disconnected.parse(data)],
      'integration.forgotten': [(data) => plain.parse(data)],
    }),
    {
      vault,
      subjectOf: (_, { data }) => data.userId,
      fields: { 'integration.connected': ['account', 'accountId'] },
    },
  );
