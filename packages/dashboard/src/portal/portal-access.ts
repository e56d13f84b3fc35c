import { type Access, call } from '../api/client.js';
import { isRefused } from '../api/problem.js';
import type { PortalSession } from '../api/types.js';

/** Takes the token of a link, or the next one, which both count once. */
export const openPortal = (token: string): Promise<PortalSession> =>
  call('post', '/api/portal-links/exchange', { body: { token } });

/** Access without identity: neither a cookie of the dashboard nor a token is sent. */
export const asNobody: Access = {
  credentials: 'omit',
  headers: () => ({}),
  renew: async () => false,
};

/**
 * Access of a portal's user. The tokens are kept in memory alone: a frame of another site cannot count on cookies,
 * and stored tokens would be there for the next person. `onEnded` is called when the tokens can no longer be renewed.
 */
export function portalAccess(session: PortalSession, onEnded: () => void): Access {
  let current = session;
  return {
    credentials: 'omit',
    headers: () => ({ authorization: `Bearer ${current.access_token}` }),
    async renew() {
      try {
        current = await openPortal(current.next_token);
        return true;
      } catch (error) {
        if (!isRefused(error)) throw error;
        onEnded();
        return false;
      }
    },
  };
}
