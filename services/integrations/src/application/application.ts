import {
  type AuthorizationRequest,
  type AuthorizationStart,
  authorize,
} from './connecting/authorize.js';
import { type CodeRequest, connect } from './connecting/connect.js';
import type { ConnectOutcome } from './connecting/ports.js';
import { returnToOf } from './connecting/return-to.js';
import { makePrimary } from './connections/make-primary.js';
import { askProvider } from './ending/ask-provider.js';
import { disconnect } from './ending/disconnect.js';
import { receiveSecurityEvent } from './ending/security-events.js';
import { type History, history } from './history/history.js';
import type { IdentityProvider, Ports } from './ports.js';
import type { NamedClient } from './provider-of.js';
import type { Refresher } from './refreshing/ports.js';
import type { TokenRequests } from './token-requests.js';
import { getAccessToken, type TokenRequest, type VendedToken } from './vending/get-access-token.js';
import {
  type RefusedToken,
  type Reported,
  reportUnauthorized,
} from './vending/report-unauthorized.js';

/** The use cases of this service, for HTTP and gRPC alike. */
export interface Application {
  /** Reads for one request: they end when the signal aborts. */
  reading(signal: AbortSignal): {
    readonly history: History;
  };
  /** Identity providers that a user may choose between, in the order of PROVIDERS_FILE. */
  readonly identityProviders: readonly IdentityProvider[];
  authorize(
    userId: string,
    provider: string,
    request?: AuthorizationRequest,
  ): Promise<AuthorizationStart>;
  /** Returns the address that an answer is forwarded to, for anybody who holds its state; see `returnToOf`. */
  returnTo(client: NamedClient, state: string): Promise<string | undefined>;
  connect(userId: string, provider: string, request: CodeRequest): Promise<ConnectOutcome>;
  /** Ends a connection, or all of a kind: here at once, and at the provider as soon as it can be reached. */
  disconnect(userId: string, named: string, ifVersion?: readonly number[]): Promise<void>;
  makePrimary(userId: string, integrationId: string): Promise<void>;
  /** Receives a provider's event about an account; see `receiveSecurityEvent`. */
  receiveSecurityEvent(client: NamedClient, token: string): Promise<void>;
  getAccessToken(request: TokenRequest): Promise<VendedToken>;
  /** Reports a token that a provider refused; see `reportUnauthorized`. */
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

  makePrimary: makePrimary(ports),

  identityProviders: ports.identityProviders,

  reading: (signal) => ({ history: history(ports.readsUntil(signal)) }),

  receiveSecurityEvent: receiveSecurityEvent(ports),

  getAccessToken: getAccessToken(ports, refresher),

  reportUnauthorized: reportUnauthorized(ports, askProvider(ports, refresher)),
});
