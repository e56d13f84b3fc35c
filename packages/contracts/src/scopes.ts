/** What a service token may ask for, in its `scope` claim. Each gRPC method demands exactly one. */
export const SERVICE_SCOPES = {
  verifyCredentials: 'credentials:verify',
  readTokens: 'tokens:read',
  readConnections: 'connections:read',
  publishEvents: 'events:publish',
  readOps: 'ops:read',
  writeOps: 'ops:write',
} as const;

export type ServiceScope = (typeof SERVICE_SCOPES)[keyof typeof SERVICE_SCOPES];
