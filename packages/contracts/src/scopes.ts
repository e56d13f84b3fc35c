/** Services that a token can be for. Each refuses every token that was made for another. */
export const SERVICES = ['auth', 'integrations', 'webhook-dispatcher'] as const;

export type ServiceName = (typeof SERVICES)[number];

/**
 * Scopes that a service token may have, in its `scope` claim. Each gRPC method and each route for services needs
 * exactly one.
 */
export const SERVICE_SCOPES = {
  verifyCredentials: 'credentials:verify',
  readTokens: 'tokens:read',
  readConnections: 'connections:read',
  publishEvents: 'events:publish',
  readOps: 'ops:read',
  writeOps: 'ops:write',
  openPortals: 'portals:open',
} as const;

export type ServiceScope = (typeof SERVICE_SCOPES)[keyof typeof SERVICE_SCOPES];

/** Scopes that an API key can be limited to. Changes of the account need a session, so no scope exists for them. */
export const API_KEY_SCOPES = [
  'integrations:read',
  'integrations:write',
  'webhooks:read',
  'webhooks:write',
  'account:read',
] as const;

export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

/** Scope of a key that is not limited: the whole API as its owner, except operations that need a session. */
export const API_KEY_FULL_SCOPE = 'api';
