import type { Client, Scopes } from '../domain/connection/events.js';
import type { SecurityEvent } from '../domain/security-event.js';

/** Identity provider as one of our clients there talks to it. Each call has a deadline and fails with ProviderError. */
export interface OAuthProvider {
  readonly client: Client;
  readonly redirectUri: string;
  /**
   * Whether revoking a token of one consent leaves other consents of the same account alone. When it does not, a token
   * may not be revoked while a newer consent of that account is in use.
   */
  readonly separateGrants: boolean;
  /**
   * Tells whether an answer that names this issuer (RFC 9207) is the provider's own; an answer that names none may be.
   * Answers only when the provider can be worked with.
   */
  isIssuer(iss: string | undefined): Promise<boolean>;
  /** Resolves when a code can be exchanged: the keys are at hand that check what comes with it. */
  ready(): Promise<void>;
  /** Returns the URL of the consent page. `userId`: the user whom it is for. */
  authorizationUrl(request: ConsentRequest & Pick<CodeExchange, 'userId'>): Promise<string>;
  exchange(request: CodeExchange): Promise<Grant>;
  refresh(refreshToken: string, request: RefreshRequest): Promise<Tokens>;
  /**
   * Checks a security event token (RFC 8417): throws SecurityEventRefusal for a bad token, or AppError
   * `keys_unavailable`. Undefined: no events are taken from this provider.
   */
  readonly securityEvent: ((token: string) => Promise<SecurityEvent>) | undefined;
  /** Tokens a second that the provider may be asked about regularly; undefined: the provider can't be asked. */
  readonly introspectionsPerS: number | undefined;
  /** Asks whether a token is good (RFC 7662). `unsupported`: this provider can't be asked. */
  introspect(token: RevocableToken): Promise<'active' | 'inactive' | 'unsupported'>;
  /**
   * Revokes a token; a token that the provider no longer knows counts as revoked. `unsupported`: the token stands,
   * because the provider's settings say that it can't revoke, or it says that tokens of this kind are not revoked. The
   * access token is revoked in this case, which may take the grant along. ProviderError `no_revocation_endpoint` when
   * nobody revokes at the provider's address.
   */
  revoke(token: RevocableToken): Promise<'revoked' | 'unsupported'>;
}

export interface ConsentRequest {
  readonly state: string;
  readonly nonce: string;
  /** Secret half of PKCE (RFC 7636). */
  readonly verifier: string;
}

export interface CodeExchange extends Omit<ConsentRequest, 'state'> {
  /** User whose code is exchanged. */
  readonly userId: string;
  readonly code: string;
  readonly redirectUri: string;
}

export interface RefreshRequest {
  /** Connection that the token belongs to: among its failures one counts as a failure of the provider. */
  readonly connectionId: string;
  /** Called before the request is sent. When it throws, nothing is sent. */
  readonly beforeSending: () => void;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Time at which the access token expires. */
  readonly expiresAt: Date;
  /** Scopes of the tokens; absent: unchanged. */
  readonly scopes: Scopes | undefined;
  /** Account of the tokens; the answer to a refresh need not name it. */
  readonly accountId?: string | undefined;
}

/** Grant of a user, and the account that it is about. */
export interface Grant extends Tokens {
  readonly scopes: Scopes;
  /** Scopes that were granted without being requested, in the provider's names. */
  readonly unaskedScopes: readonly string[];
  readonly account: string;
  readonly accountId: string;
}

export interface RevocableToken {
  readonly token: string;
  readonly hint: 'refresh_token' | 'access_token';
  /** Access token of the same grant, beside a refresh token. */
  readonly accessToken?: string | undefined;
}
