import { type AccountVerbs, accountVerbs } from './accounts.js';
import { type ApiKeyVerbs, apiKeyVerbs } from './api-keys.js';
import { type LoginVerbs, loginVerbs } from './login.js';
import type { Needs } from './needs.js';
import { type ServiceTokenVerbs, serviceTokenVerbs } from './service-tokens.js';
import { type SessionVerbs, sessionVerbs } from './sessions.js';

/** What this service can do, whichever door the request came through. */
export type Application = AccountVerbs &
  LoginVerbs &
  SessionVerbs &
  ApiKeyVerbs &
  ServiceTokenVerbs;

export const createApplication = (
  needs: Needs,
  { refreshTokenTtlMs }: { readonly refreshTokenTtlMs: number },
): Application => ({
  ...accountVerbs(needs),
  ...loginVerbs(needs, refreshTokenTtlMs),
  ...sessionVerbs(needs, refreshTokenTtlMs),
  ...apiKeyVerbs(needs),
  ...serviceTokenVerbs(needs),
});
