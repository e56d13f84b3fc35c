import { decodeProtectedHeader } from 'jose';
import * as client from 'openid-client';
import type { CodeExchange, Grant, Tokens } from '../../application/ports.js';
import { AnswerFault } from './classify-failure.js';
import { CLOCK_TOLERANCE_S, hasTenants, isIssuer } from './client-configuration.js';
import type { ProviderSettings } from './provider-settings.js';
import { scopesOf, unaskedScopes } from './scope-mapping.js';

const SECOND_MS = 1_000;
/** To hang up on a slow provider is to lose the tokens it is about to give, and the old ones with them. */
const REFRESH_TIMEOUT_S = 25;
const ACCOUNT_CHARS_MAX = 320;

export interface GrantOptions {
  readonly settings: ProviderSettings;
  readonly nowMs: () => number;
  /** Seconds. Unless given: 25. */
  readonly refreshTimeoutS?: number;
}

/** A code for tokens (RFC 6749, section 4.1.3), with an id_token whose signature is checked. */
export async function exchangeCode(
  config: client.Configuration,
  { code, verifier, nonce, redirectUri }: CodeExchange,
  { settings, nowMs }: GrantOptions,
): Promise<Grant> {
  const callback = new URL(redirectUri);
  callback.searchParams.set('code', code);
  // RFC 9207: whoever calls us has checked `iss`, if there was one. Each provider has a redirect URI
  // and a client of its own, so a code of another one is refused in any case.
  callback.searchParams.set('iss', config.serverMetadata().issuer);

  client.enableNonRepudiationChecks(config);
  const askedAtMs = nowMs();
  const answer = await client.authorizationCodeGrant(config, callback, {
    pkceCodeVerifier: verifier,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  const claims = answer.claims();
  if (claims === undefined) throw new TypeError('The library let an answer without id_token pass.');
  requireKeyOf(claims.iss, config, answer.id_token);
  const { scopes, extraScopes } = settings;
  return {
    ...tokensOf(answer, askedAtMs),
    scopes: scopesOf(scopes, answer.scope),
    unaskedScopes: unaskedScopes([...Object.values(scopes), ...extraScopes], answer.scope),
    ...accountIn(claims, config.serverMetadata().issuer, nowMs()),
  };
}

/**
 * Where each tenant is an issuer, a key may sign for all of them or for one: Microsoft says which in the key's
 * `issuer`. The library looks at the signature alone.
 */
function requireKeyOf(iss: string, config: client.Configuration, idToken = ''): void {
  const { issuer: template } = config.serverMetadata();
  if (!hasTenants(template)) return;
  const { kid } = decodeProtectedHeader(idToken);
  const keys: readonly IssuersKey[] = client.getJwksCache(config)?.jwks.keys ?? [];
  const isAnothers = ({ issuer = template }: IssuersKey) => issuer !== template && issuer !== iss;
  if (keys.some((key) => key.kid === kid && isAnothers(key))) {
    throw new AnswerFault('refused', 'foreign_id_token');
  }
}

interface IssuersKey {
  readonly kid?: string;
  readonly issuer?: string;
}

/** A refresh token for new tokens (RFC 6749, section 6). */
export async function refreshTokens(
  config: client.Configuration,
  refreshToken: string,
  { settings, nowMs, refreshTimeoutS = REFRESH_TIMEOUT_S }: GrantOptions,
): Promise<Tokens> {
  config.timeout = refreshTimeoutS;
  const askedAtMs = nowMs();
  const answer = await client.refreshTokenGrant(config, refreshToken);
  const scopes = answer.scope === undefined ? undefined : scopesOf(settings.scopes, answer.scope);
  return { ...tokensOf(answer, askedAtMs), scopes };
}

/** Counted from before the request, so that we never believe in a token longer than the provider does. */
function tokensOf(
  { access_token, refresh_token, token_type, expires_in = 0 }: client.TokenEndpointResponse,
  askedAtMs: number,
): Omit<Tokens, 'scopes'> {
  // Whoever sent such a token as Bearer (RFC 6750) would be refused, or give it away.
  if (token_type !== 'bearer') throw new AnswerFault('unavailable', 'unsupported_answer');
  const expiresAt = new Date(askedAtMs + expires_in * SECOND_MS);
  return { accessToken: access_token, refreshToken: refresh_token, expiresAt };
}

/** Whose it is, and what a person would recognise the account by. */
function accountIn(
  claims: client.IDToken,
  issuer: string,
  nowMs: number,
): Pick<Grant, 'account' | 'accountId'> {
  // What the library leaves unchecked of an id_token (OpenID Connect Core 1.0, sections 2 and 3.1.3.7).
  const { iss, sub, iat, email, preferred_username: username } = claims;
  // A sub is the issuer's own (section 5.7), and each tenant is one.
  const accountId = storable(hasTenants(issuer) ? `${iss} ${sub}` : sub);
  const isFuture = iat > nowMs / SECOND_MS + CLOCK_TOLERANCE_S;
  if (isFuture || storable(sub).trim() === '' || !isIssuer(issuer, iss))
    throw new AnswerFault('refused', 'foreign_id_token');

  const names = [email, username].filter((name) => typeof name === 'string').map(storable);
  const account = names.find((name) => name !== '') ?? accountId;
  return { account: account.slice(0, ACCOUNT_CHARS_MAX), accountId };
}

/** Postgres takes no NUL, and by then the code is used up. */
const storable = (text: string): string => text.replaceAll('\0', '');
