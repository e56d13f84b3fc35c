import type { AppError } from '@junction/errors';
import type { Client, Provider } from '../../domain/connection/events.js';
import type { ConsentRequest } from '../oauth-provider.js';

/** Authorization whose URL was handed out, with what must be known when its code comes back. */
export interface PendingAuthorization extends ConsentRequest, Client {
  readonly userId: string;
  readonly redirectUri: string;
  /** Address that the callback page forwards the answer to. */
  readonly returnTo: string | undefined;
}

export interface Authorizations {
  /** Adds an authorization that may be used for so long. So many of the newest of a user and client are kept. */
  add(
    authorization: PendingAuthorization,
    bounds: { readonly validForS: number; readonly keptMax: number },
  ): Promise<void>;
  /**
   * Returns the address for the answer of the authorization that waits under this state; undefined also when there is
   * none.
   */
  returnTo(client: Client, state: string): Promise<string | undefined>;
  /**
   * Returns the identity provider that a code came from: the one of these that its user sent it to before, otherwise
   * that of the authorization that waits under the state, or without a state of the newest.
   */
  identityProvider(
    sent: Omit<SentCode & AuthorizationQuery, 'identityProvider'>,
    among: readonly string[],
  ): Promise<string | undefined>;
}

export interface ConsumedAuthorization {
  readonly verifier: string;
  readonly nonce: string;
  readonly redirectUri: string;
  /** Key of the authorization in its table. */
  readonly stateHash: Buffer;
}

/** Authorization that a user means: the one of the state, otherwise the newest at the client. */
export interface AuthorizationQuery extends Client {
  readonly userId: string;
  readonly state: string | undefined;
}

/** Table of pending authorizations. */
export interface AuthorizationTable {
  /** Consumes an authorization that waits for its code, and keeps it for an exchange that takes so long. */
  consume(
    query: AuthorizationQuery,
    exchangedWithinS: number,
  ): Promise<ConsumedAuthorization | undefined>;
  /** Makes an authorization wait for its code again. */
  release(consumed: ConsumedAuthorization): Promise<void>;
  /** Deletes an authorization whose code was exchanged. Returns false when its user ended it meanwhile. */
  complete(consumed: ConsumedAuthorization): Promise<boolean>;
  /** Deletes authorizations that wait for their code, and those whose code is being exchanged. */
  delete(userId: string, provider: Provider, identityProvider?: string): Promise<void>;
}

/** Code that a user sent, for a client. */
export interface SentCode extends Client {
  readonly userId: string;
  readonly code: string;
}

/** Result of a connect. */
export interface ConnectOutcome {
  readonly connectionId: string;
  /** Whether there is a refresh token, of this consent or of an earlier one. */
  readonly renewable: boolean;
  /** Scopes that were requested and not granted, in our names. */
  readonly missingScopes: readonly string[];
  /** Scopes that were granted without being requested, in the provider's names. */
  readonly unaskedScopes: readonly string[];
}

/** How the connect by a code ended, as its user was answered. */
export type CodeOutcome =
  | { readonly connected: ConnectOutcome }
  | {
      readonly refused: Pick<AppError, 'kind' | 'code' | 'message' | 'fields'> & {
        readonly retryAfterS?: number;
      };
    };

/** Table of the codes that were sent. */
export interface UsedCodeTable {
  /**
   * Returns how a code was used before: `under_way` while its connect may go on, `used` when somebody else sent it or
   * its connect ended longer ago than a minute. Undefined: it was not.
   */
  find(
    code: SentCode,
    exchangedWithinS: number,
  ): Promise<CodeOutcome | 'under_way' | 'used' | undefined>;
  /** Counts the codes of a user in the last `withinS`, up to `max`, and tells how old the oldest of these is. */
  recent(userId: string, withinS: number, max: number): Promise<RecentCodes>;
  /** Adds a code. Returns false when the code was sent before, by whomever. */
  add(code: SentCode): Promise<boolean>;
  /** Keeps how the connect by a code ended. */
  end(code: SentCode, outcome: CodeOutcome): Promise<void>;
  delete(code: SentCode): Promise<void>;
}

export interface RecentCodes {
  readonly count: number;
  /** Age in seconds of the oldest; 0 when there is none. */
  readonly oldestS: number;
}
