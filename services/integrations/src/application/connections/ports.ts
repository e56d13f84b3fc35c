import type {
  Client,
  ConnectionStatus,
  Provider,
  RevocationOutcome,
  Scopes,
} from '../../domain/connection/events.js';
import type { Subject } from '../../domain/security-event.js';

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

export interface Connections {
  /** Returns the connections of a kind, the primary connection first. */
  ofKind(userId: string, provider: Provider): Promise<readonly ConnectionRecord[]>;
  get(connectionId: string): Promise<ConnectionRecord | undefined>;
  /**
   * Returns some connections that have tokens, of any user: of this account at this client, or of any account there
   * when the account is not known.
   */
  standing(
    client: Client,
    accountId: string | undefined,
  ): Promise<readonly Pick<ConnectionRecord, 'connectionId' | 'userId'>[]>;
}

/** Account that identifies a connection. */
export interface ConnectedAccount extends Client {
  readonly userId: string;
  /** Account as the provider names it: its `sub`. */
  readonly accountId: string;
}

export interface ConnectionTable extends Pick<Connections, 'ofKind' | 'get'> {
  find(account: ConnectedAccount): Promise<ConnectionRecord | undefined>;
  /** Returns the connections with this account or refresh token, of one user or of all, in order of their users. */
  ofSubject(
    client: Client,
    subject: Subject,
    userId?: string,
  ): Promise<readonly ConnectionRecord[]>;
  ofUsers(userIds: readonly string[]): Promise<readonly ConnectionRecord[]>;
}
