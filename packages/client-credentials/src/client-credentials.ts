import {
  allowInsecureRequests,
  ClientSecretBasic,
  Configuration,
  clientCredentialsGrant,
} from 'openid-client';

export interface ClientCredentialsOptions {
  /** The token endpoint. An http:// URL is taken as it is: whoever configures it decides. */
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The one service the token is for. */
  readonly audience: string;
  /** Space-separated. */
  readonly scope: string;
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
 * Access tokens by client_credentials (RFC 6749, section 4.4), with HTTP Basic, `audience` and `scope`.
 * One is kept until it is nearly spent; concurrent callers share one request.
 */
export function clientCredentials(options: ClientCredentialsOptions): ClientCredentials {
  const { audience, scope, now = Date.now } = options;
  const configuration = configurationOf(options);
  let kept: KeptToken | undefined;
  let renewing: Promise<KeptToken> | undefined;

  const request = async (): Promise<KeptToken> => {
    const answer = await clientCredentialsGrant(configuration, { audience, scope });
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
function configurationOf({ tokenUrl, clientId, clientSecret }: ClientCredentialsOptions) {
  const { origin, protocol } = new URL(tokenUrl);
  const server = { issuer: origin, token_endpoint: tokenUrl };
  const secret = ClientSecretBasic(clientSecret);
  const configuration = new Configuration(server, clientId, undefined, secret);
  configuration.timeout = TIMEOUT_S;
  if (protocol === 'http:') allowInsecureRequests(configuration);
  return configuration;
}
