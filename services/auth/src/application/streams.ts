/** The stream of each aggregate: its name, a dash, its id. */
export const streamOf = {
  user: (userId: string): string => `user-${userId}`,
  session: (sessionId: string): string => `session-${sessionId}`,
  client: (clientId: string): string => `client-${clientId}`,
  signingKey: (kid: string): string => `signing_key-${kid}`,
  apiKey: (keyId: string): string => `api_key-${keyId}`,
} as const;
