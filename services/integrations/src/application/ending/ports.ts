import type { Client, ClientName } from '../../domain/connection/events.js';
import type { RevocableToken } from '../oauth-provider.js';

/**
 * Asks the provider whether a connection stands, and ends the connection when it does not. `suspected`: there is a
 * reason to think that it ended.
 */
export type AskProvider = (
  connection: CheckedConnection & { readonly suspected: boolean },
  token: RevocableToken,
) => Promise<void>;

/** A connection, as far as asking about it needs it. */
export interface CheckedConnection extends Client {
  readonly connectionId: string;
  readonly userId: string;
  readonly credentialVersion: number;
}

/** Queue of the checks by which providers are asked whether connections still stand. */
export interface Checks {
  /** Returns the clients whose sweep this replica leads for the next 30 s. */
  lead(clients: readonly ClientName[]): Promise<ReadonlySet<ClientName>>;
  /** Claims some checks that are due, and makes them due again after `againInMs`. */
  claimDue(client: ClientName, limit: number, againInMs: number): Promise<readonly DueCheck[]>;
  /**
   * Claims some suspected checks, but of none of these clients. They are due again after `againInMs` unless confirmed
   * by then.
   */
  claimSuspected(except: readonly ClientName[], againInMs: number): Promise<readonly DueCheck[]>;
  /** Returns claimed checks that were not tried: they are due at once. */
  giveBack(checks: readonly DueCheck[]): Promise<void>;
  /** Makes a suspected check that was answered due like any other. */
  confirm(connectionId: string, againInMs: number): Promise<void>;
  /** Leaves a check that was tried due, as far as `overdueMs` is concerned, until it is `answered`. */
  leaveUnanswered(check: DueCheck): Promise<void>;
  answered(check: DueCheck): Promise<void>;
  /** Returns how long the check that waits longest has been due, tried or not; 0 when none is due. */
  overdueMs(client: ClientName): Promise<number>;
}

export interface DueCheck extends CheckedConnection {
  /** Whether there is a reason to think that the connection ended. */
  readonly suspected: boolean;
  /** Time since which this check has been due: before earlier attempts that were not answered. */
  readonly dueSince: Date;
  /** Whether the last attempt got no answer. */
  readonly wasUnanswered: boolean;
  /** Whether the answer to a refresh was lost, as in `Lease`; also when the lease's holder did not come back. */
  readonly answerLost: boolean;
  /** Opens a token. Undefined when there is none, and when the connection ended since. */
  open(token: RevocableToken['hint']): Promise<string | undefined>;
}

/** Owner of tokens that are to be revoked: the owner of their connection, if there is one. */
export interface TokenOwner extends Client {
  readonly userId: string;
  /** Account of the tokens; absent: not known. */
  readonly accountId?: string;
}

export interface QueuedRevocation {
  readonly revocationId: string;
  /** Opens what lies sealed in the queue. */
  readonly token: () => RevocableToken;
  /** Opens it too. Undefined: whose it is was never known. */
  readonly accountId: () => string | undefined;
  /** null: of a connection that never came to be. */
  readonly connectionId: string | null;
  readonly client: ClientName;
  /** Attempts, this one included. */
  readonly attempts: number;
  readonly queuedAt: Date;
}

/** Effect of a security event: the provider was asked, or connections ended. */
export type SecurityEventEffect = 'suspected' | 'ended';
