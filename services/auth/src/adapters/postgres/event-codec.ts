import { type EventCodec, jsonCodec, schema } from '@junction/eventsourcing';
import { personalFields, type Vault } from '@junction/vault';
import { z } from 'zod';
import type { AuthEvent } from '../../domain/auth-event.js';

const at = z.iso.datetime();
const userId = z.uuid();
const sessionId = z.string();
const keyId = z.string();

const registered = z.object({
  userId,
  email: z.string().optional(),
  origin: z.string().optional(),
  at,
});
const emailVerified = z.object({ userId, at });
const emailChanged = z.object({
  userId,
  email: z.string(),
  reason: z.literal('undo').optional(),
  at,
});
const passwordChanged = z.object({ userId, reason: z.enum(['changed', 'reset', 'undo']), at });
const factor = {
  userId,
  factor: z.enum(['totp', 'passkey']),
  passkeyId: z.string().optional(),
  at,
};
const factorAdded = z.object({ ...factor, reason: z.literal('undo').optional() });
const factorRemoved = z.object({ ...factor, reason: z.enum(['operator', 'undo']).optional() });
const codesGenerated = z.object({ userId, at });
const roleChanged = z.object({
  userId,
  role: z.enum(['user', 'operator']),
  by: z.string(),
  at,
});
const codeUsed = z.object({ userId, at });
const passkeySuspected = z.object({ userId, passkeyId: z.string(), at });
const troubleMailsChanged = z.object({ userId, wanted: z.boolean(), at });
const recovered = z.object({
  userId,
  reason: z.enum(['reset', 'undo']),
  webhookIds: z.array(z.string()).optional(),
  portalIds: z.array(z.string()),
  at,
});
const ended = z.object({ userId, at });
const started = z.object({ sessionId, userId, at });
const sessionRevoked = z.object({
  sessionId,
  userId,
  reason: z.enum([
    'logout',
    'refresh_token_reused',
    'password_changed',
    'password_reset',
    'second_factor_added',
    'role_changed',
    'operator',
    'user_deleted',
    'superseded',
    'undo',
    'expired',
    'issuer_refused',
    'guesses',
  ]),
  at,
});
const created = z.object({
  keyId,
  userId,
  name: z.string(),
  scopes: z.array(z.string()),
  expiresAt: at.optional(),
  at,
});
const keyRotated = z.object({
  keyId,
  userId,
  secretVersion: z.number().int(),
  previousValidUntil: at,
  endedSecretVersions: z.array(z.number().int()),
  at,
});
const keyRevoked = z.object({
  keyId,
  userId,
  reason: z.enum(['user', 'operator', 'user_deleted', 'undo']),
  at,
});

const clientId = z.string();
const clientRegistered = z.object({
  clientId,
  name: z.string(),
  grants: z.array(z.object({ audience: z.string(), scopes: z.array(z.string()) })),
  at,
});
const secretAdded = z.object({
  clientId,
  secretVersion: z.number().int(),
  previousValidUntil: at,
  at,
});
const keysSet = z.object({
  clientId,
  jwks: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
  secretsValidUntil: at,
  at,
});
const clientRevoked = z.object({ clientId, at });

const signingKeyCreated = z.object({ kid: z.string(), signsFrom: at, at });
const signingKeyRetired = z.object({
  kid: z.string(),
  publishedUntil: at,
  reason: z.enum(['rotated', 'compromised']),
  at,
});

/** Every type and schema version ever stored, with personal fields opened; golden/ has a file for each. */
export const authEvents = jsonCodec<AuthEvent>({
  'user.registered': schema(registered.parse),
  'user.email_verified': schema(emailVerified.parse),
  'user.email_changed': schema(emailChanged.parse),
  'user.password_changed': schema(passwordChanged.parse),
  'user.second_factor_added': schema(factorAdded.parse),
  'user.second_factor_removed': schema(factorRemoved.parse),
  'user.recovery_codes_generated': schema(codesGenerated.parse),
  'user.role_changed': schema(roleChanged.parse),
  'user.recovery_code_used': schema(codeUsed.parse),
  'user.passkey_suspected': schema(passkeySuspected.parse),
  'user.trouble_mails_changed': schema(troubleMailsChanged.parse),
  'user.recovered': schema(recovered.parse),
  'user.closed': schema(ended.parse),
  'user.reopened': schema(ended.parse),
  'user.deleted': schema(ended.parse),
  'session.started': schema(started.parse),
  'session.revoked': schema(sessionRevoked.parse),
  'api_key.created': schema(created.parse),
  'api_key.rotated': schema(keyRotated.parse),
  'api_key.revoked': schema(keyRevoked.parse),
  'client.registered': schema(clientRegistered.parse),
  'client.secret_added': schema(secretAdded.parse),
  'client.keys_set': schema(keysSet.parse),
  'client.revoked': schema(clientRevoked.parse),
  'signing_key.created': schema(signingKeyCreated.parse),
  'signing_key.retired': schema(signingKeyRetired.parse),
});

/** How events lie in the store: JSON, with what is personal sealed under its user's own key. */
export const eventCodec = (vault: Vault): EventCodec<AuthEvent> =>
  personalFields(authEvents, {
    vault,
    subjectOf: (_, { data }) => ('userId' in data ? data.userId : ''),
    fields: {
      'user.registered': ['email'],
      'user.email_changed': ['email'],
      'api_key.created': ['name'],
    },
  });
