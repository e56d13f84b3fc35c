import { importPKCS8 } from 'jose';
import * as client from 'openid-client';
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

export interface ClientCredentials {
  readonly clientId: string;
  /** Secret; undefined only when there is a key. */
  readonly clientSecret: string | undefined;
  readonly clientKey: ClientKey | undefined;
  /** Method; undefined: the provider's description decides by what it lists. */
  readonly authMethod: AuthMethod | undefined;
}

/** Proves our client to a provider that lists these methods, or none. */
export async function clientAuthentication(
  credentials: ClientCredentials,
  listed: readonly string[] | undefined,
): Promise<client.ClientAuth> {
  const { clientId, clientSecret = '', clientKey } = credentials;
  const method = credentials.authMethod ?? methodFor(credentials, listed);
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
 * Returns the method for a provider. A provider that lists no methods takes Basic (RFC 8414, section 2); a provider
 * that lists none of ours may as well.
 */
function methodFor(
  { clientSecret, clientKey }: ClientCredentials,
  listed: readonly string[] = [],
): AuthMethod {
  if (clientSecret === undefined) return 'private_key_jwt';
  const isPossible = (method: AuthMethod) => method !== 'private_key_jwt' || clientKey;
  const usable = AUTH_METHODS.filter((method) => listed.includes(method) && isPossible(method));
  return usable[0] ?? 'client_secret_basic';
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
