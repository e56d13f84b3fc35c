import { type Access, call } from '../api/client.js';
import { isRefused } from '../api/problem.js';
import type { PortalSession } from '../api/types.js';

const EXCHANGE = '/api/portal-links/exchange';

/** Takes the token of a link, or the next one, which both count once. */
export const openPortal = async (token: string): Promise<PortalSession> =>
  call<PortalSession>('POST', EXCHANGE, { body: { token } });

/** Nobody yet: neither a cookie of the dashboard nor a token. */
export const asNobody: Access = {
  credentials: 'omit',
  headers: () => ({}),
  renew: async () => false,
};

/**
 * As the user of a portal. Its tokens lie in memory and nowhere else: a frame of another site has no cookies it could
 * count on, and what is stored would be there for whoever comes next. `onEnded`: its hour is over.
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
