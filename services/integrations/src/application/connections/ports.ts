import type {
  Client,
  ConnectionStatus,
  RevocationOutcome,
  Scopes,
} from '../../domain/connection/events.js';

/** Connection as it is now: as its events left it, with the changes of the latest refresh. */
export interface ConnectionRecord extends Client, Scopes {
  readonly connectionId: string;
  readonly userId: string;
  readonly status: ConnectionStatus;
  /** Stable code. */
  readonly statusReason: string | null;
  readonly credentialVersion: number;
  /** Account as a person would name it. */
  readonly account: string;
  /** Account as the provider names it: its `sub`. */
  readonly accountId: string;
  readonly renewable: boolean;
  /** Start of the last connection. */
  readonly connectedAt: Date;
  readonly lastRefreshedAt: Date | null;
  /** Outcome of revoking the tokens at the provider, when a connection with tokens was ended here. */
  readonly providerRevocation: 'pending' | RevocationOutcome | null;
  /** Whether the connection serves when its kind alone is named. */
  readonly isPrimary: boolean;
  /** Version of the connection's stream. */
  readonly version: number;
}

/** Account that identifies a connection. */
export interface ConnectedAccount extends Client {
  readonly userId: string;
  /** Account as the provider names it: its `sub`. */
  readonly accountId: string;
}
