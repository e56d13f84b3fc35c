import { type CryptoKey, importJWK, type JWK } from 'jose';
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  Configuration,
  clientCredentialsGrant,
  modifyAssertion,
  PrivateKeyJwt,
} from 'openid-client';

export type ClientCredential =
  | { readonly secret: string }
  | {
      /** With `alg`, and `kid` where the client has several. */
      readonly privateKey: JWK;
      /** The issuer that the assertions are for. */
      readonly issuer: string;
    };

export interface ClientCredentialsOptions {
  /** The token endpoint. An http:// URL is taken as it is: whoever configures it decides. */
  readonly tokenUrl: string;
  readonly clientId: string;
  /** A secret, for HTTP Basic; or a private key, for private_key_jwt (RFC 7523). */
  readonly credential: ClientCredential;
  /** The one service the token is for. Absent: what the endpoint gives by itself. */
  readonly audience?: string | undefined;
  /** Space-separated. Absent: what the endpoint gives by itself. */
  readonly scope?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

export interface ClientCredentials {
  /**
   * The access token of now. Rejects with what openid-client says when there is none; `tokenRefusal`
   * reads the endpoint's own words in it.
   */
  (): Promise<string>;
  /** The service has refused this token: if it is the kept one, the next call asks for another. */
  refused(token: string): void;
}

const TIMEOUT_S = 5;
const SECOND_MS = 1_000;
/** Renewed when a fifth of its life is left, so that a call never carries one about to expire. */
const USABLE_SHARE = 0.8;

interface KeptToken {
  readonly token: string;
  readonly renewAtMs: number;
}

/**
 * Access tokens by client_credentials (RFC 6749, section 4.4), with `audience` and `scope`.
 * One is kept until it is nearly spent; concurrent callers share one request.
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

/** No discovery: the endpoint is configured, and a service that starts first must not need it. */
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
