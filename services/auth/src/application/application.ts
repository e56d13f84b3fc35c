import { createApiKey } from './create-api-key.js';
import { deleteMe } from './delete-me.js';
import { endExpiredSessions } from './end-expired-sessions.js';
import { endAllSessions, endOwnSession } from './end-own-sessions.js';
import { endSessions } from './end-sessions.js';
import { holderOf } from './holder-of.js';
import { isRevoked } from './is-revoked.js';
import { issueServiceToken } from './issue-service-token.js';
import { login } from './login.js';
import { logout } from './logout.js';
import { me } from './me.js';
import type { Ports } from './ports.js';
import { refresh } from './refresh.js';
import { register } from './register.js';
import { revokeApiKey } from './revoke-api-key.js';

/** What this service can do, by whichever server the request came. */
export type Application = ReturnType<typeof application>;

/** The use cases, each a file beside this one. */
export const application = (
  ports: Ports,
  { refreshTokenTtlMs }: { readonly refreshTokenTtlMs: number },
) => ({
  register: register(ports),
  me: me(ports),
  deleteMe: deleteMe(ports),

  login: login(ports, refreshTokenTtlMs),
  refresh: refresh(ports, refreshTokenTtlMs),
  logout: logout(ports),
  endSessions: endSessions(ports),
  /** The one that was used last first. */
  listSessions: ports.sessions.list,
  endOwnSession: endOwnSession(ports),
  endAllSessions: endAllSessions(ports),
  isRevoked: isRevoked(ports),

  createApiKey: createApiKey(ports),
  /** Newest first. */
  listApiKeys: ports.apiKeys.list,
  revokeApiKey: revokeApiKey(ports),
  holderOf: holderOf(ports),

  issueServiceToken: issueServiceToken(ports),

  /** Deletes the successors of spent tokens whose reuse window is over. */
  deleteSuccessors: async () => ports.sessions.deleteSuccessors(ports.now()),
  endExpiredSessions: endExpiredSessions(ports),
});
