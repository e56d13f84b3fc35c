import type { AppError } from '@junction/errors';
import type { Client } from '../../domain/connection/events.js';
import type { ConsentRequest } from '../oauth-provider.js';

/** Authorization whose URL was handed out, with what must be known when its code comes back. */
export interface PendingAuthorization extends ConsentRequest, Client {
  readonly userId: string;
  readonly redirectUri: string;
  /** Address that the callback page forwards the answer to. */
  readonly returnTo: string | undefined;
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
