import { importPKCS8 } from 'jose';
import * as client from 'openid-client';
import { ProviderError } from '../../application/provider-error.js';
import type { ClientKey } from './client-key.js';

/**
 * Methods by which our client proves itself (OpenID Connect Core 1.0, section 9). When several will do, the first is
 * used.
 */
export const AUTH_METHODS = [
  'client_secret_post',
  'client_secret_basic',
  'private_key_jwt',
] as const;
export type AuthMethod = (typeof AUTH_METHODS)[number];

/** Other methods (IANA, OAuth Token Endpoint Authentication Methods), by which our client cannot prove itself. */
export const OTHER_METHODS: readonly string[] = [
  'client_secret_jwt',
  'tls_client_auth',
  'self_signed_tls_client_auth',
  'none',
];

export interface ClientCredentials {
  readonly clientId: string;
  /** Secret; undefined only when there is a key. */
  readonly clientSecret: string | undefined;
  readonly clientKey: ClientKey | undefined;
  /** Method; undefined: the provider's description decides by what it lists. */
  readonly authMethod: AuthMethod | undefined;
}

/** Error of a provider that lists only methods for which our client has no credentials. */
export class NoAuthMethod extends ProviderError {
  constructor(readonly listed: readonly string[]) {
    super({ failure: 'misconfigured', reason: 'no_usable_auth_method', sent: false });
    this.message = `The provider lists ${listed.join(', ')} as token_endpoint_auth_methods_supported, and the client of PROVIDERS_FILE can prove itself by none of them. Where the client is registered for another method, name it in token_endpoint_auth_method.`;
  }
}

/** Proves our client to a provider that lists these methods, or none. Throws NoAuthMethod. */
export async function clientAuthentication(
  credentials: ClientCredentials,
  listed: readonly string[] | undefined,
): Promise<client.ClientAuth> {
  const { clientId, clientSecret = '', clientKey } = credentials;
  const method = authMethodFor(credentials, listed);
  if (method === 'private_key_jwt' && clientKey) {
    const { key, alg, kid } = clientKey;
    const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    return client.PrivateKeyJwt({ key: await importPKCS8(pem, alg), ...(kid && { kid }) });
  }
  return method === 'client_secret_post'
    ? client.ClientSecretPost(clientSecret)
    : clientSecretBasic(clientId, clientSecret);
}

/**
 * Returns the method for a provider: that of the settings, or the first that it lists and that there are credentials
 * for. A provider that lists none takes Basic (RFC 8414, section 2). Throws NoAuthMethod, because another method than
 * those listed would be refused as if the secret were wrong.
 */
export function authMethodFor(
  { authMethod, clientSecret, clientKey }: Omit<ClientCredentials, 'clientId'>,
  listed: readonly string[] = [],
): AuthMethod {
  const has = (method: AuthMethod) => (method === 'private_key_jwt' ? clientKey : clientSecret);
  const byDefault = clientSecret === undefined ? 'private_key_jwt' : 'client_secret_basic';
  if (authMethod !== undefined || listed.length === 0) return authMethod ?? byDefault;
  const usable = AUTH_METHODS.find((method) => listed.includes(method) && has(method));
  if (usable === undefined) throw new NoAuthMethod(listed);
  return usable;
}

/**
 * Authenticates by Basic (RFC 6749, section 2.3.1), each part encoded as in a form. The library's own method also
 * escapes characters that need no escape (`-`, `_`, `.`, `~`), and many servers compare the text without decoding it.
 */
const clientSecretBasic = (id: string, secret: string): client.ClientAuth => {
  const credentials = Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64');
  return (_server, _client, _body, headers) => headers.set('authorization', `Basic ${credentials}`);
};

const formEncoded = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replace(/[!'()]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
