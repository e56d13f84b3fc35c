import type { Client, ConnectionStatus } from '../../domain/connection/events.js';

/** Connection whose token is requested. */
export interface CurrentConnection extends Client {
  readonly connectionId: string;
  readonly status: ConnectionStatus;
  readonly grantedScopes: readonly string[];
  readonly credentialVersion: number;
  /** Whether this version came from a refresh, not from a connect. */
  readonly isRefreshed: boolean;
  /** Credentials; undefined: the connection ended, and its tokens are deleted. */
  readonly credential: CurrentCredential | undefined;
}

export interface CurrentCredential {
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** Whether an answer was lost, as in `Lease`; also when the lease's holder did not come back. */
  readonly answerLost: boolean;
  /** Opens the access token. */
  open(): string;
}
