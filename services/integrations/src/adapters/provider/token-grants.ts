import { AnswerFault } from '@junction/service/callers';
import type { PublishedKeys } from '@junction/service/outbound';
import * as client from 'openid-client';
import type { CodeExchange, Grant, Tokens } from '../../application/oauth-provider.js';
import { type AccountOptions, accountIn, accountNamedBy } from './id-token.js';
import type { ProviderSettings } from './provider-settings.js';
import type { CallNotes } from './recovering-fetch.js';
import { scopesOf, unaskedScopes } from './scope-mapping.js';

const SECOND_MS = 1_000;
/**
 * Seconds that a refresh may take. To hang up on a slow provider is to lose the tokens it is about to give, and the old
 * ones with them.
 */
const REFRESH_TIMEOUT_S = 25;

export interface GrantOptions extends Pick<AccountOptions, 'nowMs' | 'keysWithinMs'> {
  readonly settings: ProviderSettings;
  /** Seconds. Unless given: 25. */
  readonly refreshTimeoutS?: number;
}

/** Exchanges a code for tokens (RFC 6749, section 4.1.3), with an id_token whose signature is checked by these keys. */
export async function exchangeCode(
  config: client.Configuration,
  notes: CallNotes,
  { code, verifier, nonce, redirectUri }: CodeExchange,
  { settings, ...options }: GrantOptions,
  keys: PublishedKeys,
): Promise<Grant> {
  const { issuer } = config.serverMetadata();
  const callback = new URL(redirectUri);
  callback.searchParams.set('code', code);
  // RFC 9207: our caller has checked `iss`, if there was one. Each provider has its own redirect URI and client, so a
  // code of another provider is refused in any case.
  callback.searchParams.set('iss', issuer);

  const askedAtMs = options.nowMs();
  const answer = await client.authorizationCodeGrant(config, callback, {
    pkceCodeVerifier: verifier,
  });
  const account = await accountIn(notes.idToken, {
    ...settings,
    ...options,
    issuer,
    nonce,
    keys,
  });
  const { scopes, extraScopes } = settings;
  return {
    ...tokensOf(answer, askedAtMs),
    scopes: scopesOf(scopes, answer.scope),
    unaskedScopes: unaskedScopes([...Object.values(scopes), ...extraScopes], answer.scope),
    ...account,
  };
}

/** Exchanges a refresh token for new tokens (RFC 6749, section 6), with their account if the answer names it. */
export async function refreshTokens(
  config: client.Configuration,
  notes: CallNotes,
  refreshToken: string,
  { settings, nowMs, refreshTimeoutS = REFRESH_TIMEOUT_S }: GrantOptions,
): Promise<Tokens> {
  config.timeout = refreshTimeoutS;
  const askedAtMs = nowMs();
  const answer = await client.refreshTokenGrant(config, refreshToken);
  const scopes = answer.scope === undefined ? undefined : scopesOf(settings.scopes, answer.scope);
  const accountId = accountNamedBy(notes.idToken, config.serverMetadata().issuer);
  return { ...tokensOf(answer, askedAtMs), scopes, accountId };
}

/**
 * Returns the tokens of an answer. Lifetimes count from before the request, so that we never believe in a token longer
 * than the provider does.
 */
function tokensOf(
  { access_token, refresh_token, token_type, expires_in = 0 }: client.TokenEndpointResponse,
  askedAtMs: number,
): Omit<Tokens, 'scopes'> {
  // Workers send tokens as Bearer (RFC 6750): with a token of another type they would be refused, or give it away.
  if (token_type !== 'bearer') throw new AnswerFault('unavailable', 'unsupported_answer');
  const expiresAt = new Date(askedAtMs + expires_in * SECOND_MS);
  return { accessToken: access_token, refreshToken: refresh_token, expiresAt };
}
