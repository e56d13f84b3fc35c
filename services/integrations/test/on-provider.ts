import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { walkConsent } from '@junction/dev-servers/provider';
import { keysByAddress } from '../src/adapters/provider/keys-by-address.js';
import {
  type OAuthProviderOptions,
  oauthProvider,
} from '../src/adapters/provider/oauth-provider.js';
import type { ProviderSettings } from '../src/adapters/provider/provider-settings.js';
import type { OAuthProvider, RefreshRequest } from '../src/application/oauth-provider.js';
import {
  CLIENT_SECRET,
  type FaultyProvider,
  type FaultyProviderOptions,
  redirectUri,
  startFaultyProvider,
} from './faulty-provider.js';

const MAILBOX: Omit<ProviderSettings, 'issuer'> = {
  clientId: 'junction-mailbox',
  clientSecret: CLIENT_SECRET,
  clientKey: undefined,
  authMethod: undefined,
  scopes: {
    'mailbox.readonly': 'mailbox.readonly',
    'mailbox.send': 'mailbox.send',
    'mailbox.modify': 'mailbox.modify',
  },
  extraScopes: ['openid', 'offline_access'],
  authorizationParams: { prompt: 'consent' },
  pushesAuthorizations: false,
  revocation: 'rfc7009',
  separateGrants: true,
  securityEvents: undefined,
  introspectionsPerS: 50,
};

/** Starts a provider for one test file. Faults end with their test. */
export function useFaultyProvider(options: FaultyProviderOptions = {}): () => FaultyProvider {
  let faulty: FaultyProvider;
  beforeAll(async () => {
    faulty = await startFaultyProvider(options);
  });
  beforeEach(async () => faulty.straighten());
  afterAll(async () => faulty?.close());
  return () => faulty;
}

/** Creates our client for mailboxes at this issuer. */
export const mailboxAt = (
  issuer: string,
  changes: Partial<ProviderSettings> = {},
  options: Partial<OAuthProviderOptions> = {},
): OAuthProvider =>
  oauthProvider({
    settings: { ...MAILBOX, issuer, ...changes },
    client: { identityProvider: 'acme', provider: 'mailbox' },
    redirectUri: redirectUri('mailbox'),
    guard: async (call) => call(),
    exchangeGuard: async (call) => call(),
    askingGuard: async (call) => call(),
    nowMs: Date.now,
    log: { warn() {}, error() {} },
    keysAt: keysByAddress({ log: { warn() {} }, fetch: options.fetch }),
    ...options,
  });

/** Lets a new user consent at the provider: `exchange` brings the tokens, or is refused. */
export async function consentedAt(
  issuer: string,
  allow: boolean | readonly string[] = true,
  options: Partial<OAuthProviderOptions> = {},
) {
  const provider = mailboxAt(issuer, {}, options);
  const request = { state: randomUUID(), nonce: randomUUID(), verifier: 'v'.repeat(43) };
  const email = `${randomUUID()}@example.com`;
  const userId = randomUUID();
  const url = await provider.authorizationUrl({ ...request, userId });
  const back = await walkConsent(url, { email, password: 'any', allow });
  const code = back.searchParams.get('code') ?? '';
  return {
    provider,
    email,
    exchange: (changes: { nonce?: string; verifier?: string } = {}) =>
      provider.exchange({
        ...request,
        userId,
        code,
        redirectUri: provider.redirectUri,
        ...changes,
      }),
  };
}

/** A refresh that may be sent at any time. */
export const notLate: RefreshRequest = { connectionId: 'con_1', beforeSending() {} };
