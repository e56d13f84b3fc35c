/** What a service token may ask for, in its `scope` claim. Each gRPC method and each route for services demands exactly one. */
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

/** What an API key may be limited to. Changes of the account want a session, so there is no scope for them. */
export const API_KEY_SCOPES = [
  'integrations:read',
  'integrations:write',
  'webhooks:read',
  'webhooks:write',
  'account:read',
] as const;

export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

/** Of a key that is not limited: the whole API as its owner, except what needs a session. */
export const API_KEY_FULL_SCOPE = 'api';
