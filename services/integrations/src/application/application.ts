import type { Provider } from '../domain/connection/events.js';
import type { ConnectionRow } from '../projections/connection-row.js';
import { type AuthorizationStart, authorize } from './authorize.js';
import { type CodeWish, type ConnectOutcome, connect } from './connect.js';
import { type History, history } from './history.js';
import type { Needs } from './needs.js';
import { providerNameOf } from './provider-of.js';
import type { Refresher } from './refresh.js';
import { type RefusedToken, type Reported, reportUnauthorized } from './report.js';
import { returnToOf } from './return-to.js';
import { receiveSecurityEvent } from './security-events.js';
import type { TokenRequests } from './token-requests.js';
import { type TokenRequest, type VendedToken, vend } from './vend.js';

/** What this service can do, whichever door the request came through. */
export interface Application {
  authorize(userId: string, provider: string, returnTo?: string): Promise<AuthorizationStart>;
  /** Where an answer is forwarded to, for whoever holds its state; see `returnToOf`. */
  returnTo(provider: string, state: string): Promise<string | undefined>;
  connect(userId: string, provider: string, wish: CodeWish): Promise<ConnectOutcome>;
  /** Ends the connection here, at once; at the provider as soon as it can be reached. */
  disconnect(userId: string, provider: string): Promise<void>;
  /** The providers this user has ever connected. */
  list(userId: string): Promise<readonly ConnectionRow[]>;
  find(
    userId: string,
    provider: string,
  ): Promise<{ readonly provider: Provider; readonly row: ConnectionRow | undefined }>;
  readonly history: History;
  /** A provider tells of an account; see `receiveSecurityEvent`. */
  receiveSecurityEvent(provider: string, token: string): Promise<void>;
  getAccessToken(request: TokenRequest): Promise<VendedToken>;
  /** A provider refused a token; see `reportUnauthorized`. */
  reportUnauthorized(token: RefusedToken): Promise<Reported>;
}

export const createApplication = (
  needs: Needs,
  refresher: Refresher,
  requests: TokenRequests,
): Application => ({
  authorize: authorize(needs),
  returnTo: returnToOf(needs),
  connect: connect(needs, requests),

  async disconnect(userId, provider) {
    const name = providerNameOf(needs.providers, provider);
    await needs.connections.disconnect(userId, name, needs.now());
  },

  list: (userId) => needs.connections.list(userId),

  async find(userId, provider) {
    const name = providerNameOf(needs.providers, provider);
    return { provider: name, row: await needs.connections.find(userId, name) };
  },

  history: history(needs),

  receiveSecurityEvent: receiveSecurityEvent(needs),

  getAccessToken: vend(needs, refresher),

  reportUnauthorized: reportUnauthorized(needs, refresher),
});
