import type { Client, Scopes } from '../domain/connection/events.js';
import type { SecurityEvent } from '../domain/security-event.js';

/** An identity provider as one of our clients there talks to it. Each call has a deadline and fails with ProviderError. */
export interface OAuthProvider {
  readonly client: Client;
  readonly redirectUri: string;
  /**
   * Revoking a token of one consent leaves other consents of the same account alone. Where it does
   * not, a token may not be revoked while a newer consent of that account is in use.
   */
  readonly separateGrants: boolean;
  /**
   * Whether an answer that names this issuer (RFC 9207) is its own; one that names none may be. Answers only when the
   * provider can be worked with.
   */
  isIssuer(iss: string | undefined): Promise<boolean>;
  authorizationUrl(request: ConsentRequest): Promise<string>;
  exchange(request: CodeExchange): Promise<Grant>;
  refresh(refreshToken: string, request: RefreshRequest): Promise<Tokens>;
  /**
   * Checks a security event token (RFC 8417): throws SecurityEventRefusal for one that is not good, or
   * AppError `keys_unavailable`. Undefined: none are taken from this provider.
   */
  readonly securityEvent: ((token: string) => Promise<SecurityEvent>) | undefined;
  /** How many tokens a second it may be asked about regularly. Undefined: it can't be asked. */
  readonly introspectionsPerS: number | undefined;
  /** Is a token good (RFC 7662)? `unsupported`: this provider can't be asked. */
  introspect(token: RevocableToken): Promise<'active' | 'inactive' | 'unsupported'>;
  /** `unsupported`: its settings say that it can't be asked to. A token it no longer knows counts as revoked. */
  revoke(token: RevocableToken): Promise<'revoked' | 'unsupported'>;
}

export interface ConsentRequest {
  readonly state: string;
  readonly nonce: string;
  /** PKCE (RFC 7636), the secret half. */
  readonly verifier: string;
}

export interface CodeExchange extends Omit<ConsentRequest, 'state'> {
  /** Whose code it is. */
  readonly userId: string;
  readonly code: string;
  readonly redirectUri: string;
}

export interface RefreshRequest {
  /** The connection that the token belongs to: of its failures one counts as a failure of the provider. */
  readonly connectionId: string;
  /** May throw, and then nothing is sent. */
  readonly beforeSending: () => void;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** The moment the access token expires. */
  readonly expiresAt: Date;
  /** Absent: unchanged. */
  readonly scopes: Scopes | undefined;
  /** The account they are of; a refresh need not say it. */
  readonly accountId?: string | undefined;
}

/** What a user has granted, and which account it is about. */
export interface Grant extends Tokens {
  readonly scopes: Scopes;
  /** Granted without being asked for, in the provider's names. */
  readonly unaskedScopes: readonly string[];
  readonly account: string;
  readonly accountId: string;
}

export interface RevocableToken {
  readonly token: string;
  readonly hint: 'refresh_token' | 'access_token';
}
