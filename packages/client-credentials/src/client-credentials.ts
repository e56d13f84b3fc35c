import { boundedFetch } from '@junction/async';
import { type CryptoKey, importJWK, type JWK } from 'jose';
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  Configuration,
  type CustomFetch,
  clientCredentialsGrant,
  customFetch,
  modifyAssertion,
  PrivateKeyJwt,
} from 'openid-client';

export type ClientCredential =
  | { readonly secret: string }
  | {
      /** Private key with `alg`, and with `kid` when the client has several keys. */
      readonly privateKey: JWK;
      /** The issuer that the assertions are for. */
      readonly issuer: string;
    };

export interface ClientCredentialsOptions {
  /** Token endpoint. An http:// URL is used as it is: its safety is the operator's decision. */
  readonly tokenUrl: string;
  readonly clientId: string;
  /** A secret, for HTTP Basic; or a private key, for private_key_jwt (RFC 7523). */
  readonly credential: ClientCredential;
  /** Service that the token is for. Absent: the endpoint's default. */
  readonly audience?: string | undefined;
  /** Scopes, separated by spaces. Absent: the endpoint's default. */
  readonly scope?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

export interface ClientCredentials {
  /**
   * Returns a valid access token. Rejects with the error of openid-client when there is none; `tokenRefusal` extracts
   * the endpoint's own words from that error.
   */
  (): Promise<string>;
  /** Reports that the service refused this token. When it is the kept token, the next call requests a new one. */
  refused(token: string): void;
}

const TIMEOUT_S = 5;
const SECOND_MS = 1_000;
/** Part of its life after which a token is renewed, so that no call carries a token that is about to expire. */
const USABLE_SHARE = 0.8;

interface KeptToken {
  readonly token: string;
  readonly renewAtMs: number;
}

/**
 * Gets access tokens by client_credentials (RFC 6749, section 4.4), with `audience` and `scope`. A token is kept until
 * it is nearly spent; concurrent callers share one request.
 */
export function clientCredentials(options: ClientCredentialsOptions): ClientCredentials {
  const { audience, scope, now = Date.now } = options;
  let configuration: Promise<Configuration> | undefined;
  let kept: KeptToken | undefined;
  let renewing: Promise<KeptToken> | undefined;

  const request = async (): Promise<KeptToken> => {
    configuration ??= configurationOf(options);
    const asked = { ...(audience && { audience }), ...(scope && { scope }) };
    const answer = await clientCredentialsGrant(await configuration, asked);
    const lifeMs = (answer.expires_in ?? 0) * SECOND_MS;
    kept = { token: answer.access_token, renewAtMs: now() + lifeMs * USABLE_SHARE };
    return kept;
  };
  const renew = async (): Promise<KeptToken> => {
    renewing ??= request().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  const current = async () => (kept && now() < kept.renewAtMs ? kept : await renew()).token;
  return Object.assign(current, {
    refused: (token: string) => {
      if (kept?.token === token) kept = undefined;
    },
  });
}

/**
 * Builds the configuration without discovery: the endpoint is configured, and a service must be able to start before
 * its issuer.
 */
async function configurationOf({
  tokenUrl,
  clientId,
  credential,
}: ClientCredentialsOptions): Promise<Configuration> {
  const { origin, protocol } = new URL(tokenUrl);
  const server = { issuer: origin, token_endpoint: tokenUrl };
  const authentication = await authenticationOf(credential);
  const configuration = new Configuration(server, clientId, undefined, authentication);
  configuration.timeout = TIMEOUT_S;
  configuration[customFetch] = boundedFetch() as CustomFetch;
  if (protocol === 'http:') allowInsecureRequests(configuration);
  return configuration;
}

async function authenticationOf(credential: ClientCredential): Promise<ClientAuth> {
  if ('secret' in credential) return ClientSecretBasic(credential.secret);
  const { privateKey, issuer } = credential;
  const key = (await importJWK(privateKey)) as CryptoKey;
  return PrivateKeyJwt(privateKey.kid === undefined ? key : { key, kid: privateKey.kid }, {
    // The endpoint may be reached by an address of its own; the audience is the issuer (RFC 7523, section 3).
    [modifyAssertion]: (_, payload) => {
      payload['aud'] = issuer;
    },
  });
}
