import { apiKeyToken } from '@junction/contracts';
import { type RequestHandler, Router } from 'express';
import {
  type AuthenticateUserOptions,
  authenticateUser,
  PORTAL_AUDIENCE,
  refuseIfEnded,
} from '../src/callers/authenticate-user.js';
import { remoteKeys, tokenVerifier } from '../src/callers/token-verifier.js';
import { jsonBody } from '../src/http/body.js';
import { callerOf } from '../src/http/caller.js';
import { ISSUER, issuer, USER_ID } from './issuer.js';
import { openApp } from './open-app.js';

/** An API key whose checksum is right. */
export const GOOD_KEY = apiKeyToken('key_0190d9a0-7a1e-7cc0-8c3e-2b1f4d5e6a7b', (bytes) =>
  Buffer.alloc(bytes, 7),
);

/** Starts a server that answers every admitted caller with the user it takes the caller for, for any method. */
export async function userServer(overrides: Partial<AuthenticateUserOptions> = {}) {
  const server = await issuer();
  const options: AuthenticateUserOptions = {
    verify: tokenVerifier({
      keys: remoteKeys(server.jwksUrl),
      issuer: ISSUER,
      audience: 'junction-api',
      kind: 'user',
    }),
    verifyPortal: tokenVerifier({
      keys: remoteKeys(server.jwksUrl),
      issuer: ISSUER,
      audience: PORTAL_AUDIENCE,
      kind: 'portal',
    }),
    ensureUser: async () => undefined,
    revoked: async () => false,
    apiKey: async (key) =>
      key === GOOD_KEY
        ? { kind: 'user', userId: USER_ID, via: 'api_key', scopes: ['account:read'] }
        : undefined,
    publicUrl: ISSUER,
    ...overrides,
  };
  const router = Router();
  const tell: RequestHandler = (_req, res) => void res.json(callerOf(res));
  router.route('/api/auth/me').get(tell).post(tell).put(tell).patch(tell).delete(tell);
  const { get } = await openApp([
    { through: [authenticateUser(options), jsonBody, refuseIfEnded(options)], router },
  ]);

  const send = async (headers: Readonly<Record<string, string>>, init: RequestInit = {}) => {
    const answer = await get('/api/auth/me', { ...init, headers });
    const text = await answer.text();
    return {
      status: answer.status,
      challenge: answer.headers.get('www-authenticate'),
      retryAfter: answer.headers.get('retry-after'),
      body: text === '' ? undefined : (JSON.parse(text) as unknown),
    };
  };
  return { ...server, send };
}
