import type { Provider } from '../domain/connection/events.js';
import { type AuthorizationStart, authorize } from './authorize.js';
import { type CodeRequest, type ConnectOutcome, connect } from './connect.js';
import { disconnect } from './disconnect.js';
import { getAccessToken, type TokenRequest, type VendedToken } from './get-access-token.js';
import { type History, history } from './history.js';
import type { ConnectionRecord, Ports } from './ports.js';
import { providerNameOf } from './provider-of.js';
import type { Refresher } from './refresh.js';
import { type RefusedToken, type Reported, reportUnauthorized } from './report-unauthorized.js';
import { returnToOf } from './return-to.js';
import { receiveSecurityEvent } from './security-events.js';
import type { TokenRequests } from './token-requests.js';

/** The use cases of this service, for HTTP and gRPC alike. */
export interface Application {
  authorize(userId: string, provider: string, returnTo?: string): Promise<AuthorizationStart>;
  /** Where an answer is forwarded to, for whoever holds its state; see `returnToOf`. */
  returnTo(provider: string, state: string): Promise<string | undefined>;
  connect(userId: string, provider: string, request: CodeRequest): Promise<ConnectOutcome>;
  /** Ends the connection here, at once; at the provider as soon as it can be reached. */
  disconnect(userId: string, provider: string, ifVersion?: readonly number[]): Promise<void>;
  /** The providers this user has ever connected. */
  list(userId: string): Promise<readonly ConnectionRecord[]>;
  find(
    userId: string,
    provider: string,
  ): Promise<{ readonly provider: Provider; readonly connection: ConnectionRecord | undefined }>;
  readonly history: History;
  /** A provider tells of an account; see `receiveSecurityEvent`. */
  receiveSecurityEvent(provider: string, token: string): Promise<void>;
  getAccessToken(request: TokenRequest): Promise<VendedToken>;
  /** A provider refused a token; see `reportUnauthorized`. */
  reportUnauthorized(token: RefusedToken): Promise<Reported>;
}

export const application = (
  ports: Ports,
  refresher: Refresher,
  requests: TokenRequests,
): Application => ({
  authorize: authorize(ports),
  returnTo: returnToOf(ports),
  connect: connect(ports, requests),

  disconnect: disconnect(ports),

  list: (userId) => ports.connections.list(userId),

  async find(userId, provider) {
    const name = providerNameOf(ports.providers, provider);
    return { provider: name, connection: await ports.connections.find(userId, name) };
  },

  history: history(ports),

  receiveSecurityEvent: receiveSecurityEvent(ports),

  getAccessToken: getAccessToken(ports, refresher),

  reportUnauthorized: reportUnauthorized(ports, refresher),
});
