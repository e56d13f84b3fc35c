import type { Fetch } from '@junction/async';
import { AppError } from '@junction/errors';
import {
  AnswerFault,
  checkedIdToken,
  type ForeignIssuer,
  foreignSubject,
  type IdTokenOptions,
} from '@junction/service/callers';
import { KeysUnavailable } from '@junction/service/outbound';
import type { IssuerSignIn as SignInSettings } from '@junction/service/process';
import * as client from 'openid-client';
import type { IssuerSignIn, IssuerSignIns } from '../../application/issuer/ports.js';
import {
  type DiscoveryOptions,
  discovery,
  issuerUnavailable,
  UNCHECKED_ID_TOKEN,
} from './discovery.js';

export interface IssuerSignInsOptions {
  readonly foreignIssuers: readonly ForeignIssuer[];
  readonly publicUrl: string;
  /** A variable of the environment, for client secrets. */
  readonly variable: (name: string) => string | undefined;
  readonly fetch: Fetch;
}

/** Issuers of TRUSTED_ISSUERS_FILE that are marked for signing in, by their ids. */
export const issuerSignIns = ({
  foreignIssuers,
  publicUrl,
  variable,
  fetch: send,
}: IssuerSignInsOptions): IssuerSignIns =>
  new Map(
    foreignIssuers.flatMap(({ settings: issuer, keys }) => {
      const { id, signIn } = issuer;
      if (signIn === undefined) return [];
      const redirectUri = `${publicUrl}/api/auth/sign-in/${id}/callback`;
      const clientSecret = secretOf(signIn, variable);
      const authentication =
        clientSecret === undefined ? client.None() : client.ClientSecretBasic(clientSecret);
      const options = { issuer, signIn, redirectUri, clientSecret, authentication, keys, send };
      return [[id, issuerSignIn(options)]];
    }),
  );

function secretOf(
  { secretVariable }: SignInSettings,
  variable: IssuerSignInsOptions['variable'],
): string | undefined {
  if (secretVariable === undefined) return undefined;
  const secret = variable(secretVariable);
  if (secret) return secret;
  throw new Error(`TRUSTED_ISSUERS_FILE: the variable ${secretVariable} is not set.`);
}

interface Options extends DiscoveryOptions, Pick<IdTokenOptions, 'clientSecret' | 'keys'> {
  readonly redirectUri: string;
}

function issuerSignIn(options: Options): IssuerSignIn {
  const { issuer, signIn, redirectUri } = options;
  const { id, displayName } = issuer;
  const discover = discovery(options);
  return {
    id,
    displayName,

    isThere: async () =>
      discover().then(
        () => true,
        () => false,
      ),

    async begin(prompt) {
      const config = await discover();
      const [state, nonce] = [client.randomState(), client.randomNonce()];
      const codeVerifier = client.randomPKCECodeVerifier();
      const url = await authorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: signIn.scopes.join(' '),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(prompt && { prompt }),
      });
      return { url, pending: { state, nonce, codeVerifier } };
    },

    async finish(callback, { state, nonce, codeVerifier }) {
      const config = await discover();
      // The redirect URI goes into the token request, and a gateway may have changed the request's own.
      const url = new URL(redirectUri);
      url.search = callback.search;
      const expected = { pkceCodeVerifier: codeVerifier, expectedState: state };
      const userId = await client
        .authorizationCodeGrant(config, url, expected)
        .then(async (answer) => userIn(answer, nonce, options))
        .catch((error: unknown) => {
          throw refusal(displayName, error);
        });
      if (userId === undefined) throw refusal(displayName, undefined);
      return { userId, origin: id };
    },
  };
}

/** Pushes the request first where the issuer takes no other (RFC 9126, section 5). AppError `issuer_unavailable`. */
async function authorizationUrl(
  config: client.Configuration,
  parameters: Readonly<Record<string, string>>,
): Promise<URL> {
  const { require_pushed_authorization_requests: isPushed } = config.serverMetadata();
  if (isPushed !== true) return client.buildAuthorizationUrl(config, parameters);
  return client.buildAuthorizationUrlWithPAR(config, parameters).catch((cause: unknown) => {
    throw issuerUnavailable(cause);
  });
}

type Answer = Awaited<ReturnType<typeof client.authorizationCodeGrant>>;

/** Undefined where the answer names nobody, or lacks a scope that is required. */
async function userIn(
  answer: Answer,
  nonce: string,
  { issuer, signIn, clientSecret, keys }: Options,
): Promise<string | undefined> {
  // RFC 6749, section 5.1: an answer without scope has granted what was asked for.
  const granted = answer.scope?.split(' ') ?? signIn.scopes;
  const claims = await checkedIdToken(answer[UNCHECKED_ID_TOKEN], {
    clientId: signIn.clientId,
    clientSecret,
    keys,
    nonce,
    isOwn: ({ iss }) => iss === issuer.issuer,
    nowMs: Date.now,
    // A sign-in can be begun anew, which costs the user nothing.
    keysWithinMs: 0,
  });
  const isEnough = issuer.requiredScopes.every((scope) => granted.includes(scope));
  return isEnough ? foreignSubject(claims, issuer) : undefined;
}

function refusal(displayName: string, cause: unknown): AppError {
  if (saysNothing(cause)) return issuerUnavailable(cause);
  if (cause instanceof client.AuthorizationResponseError) {
    return new AppError('sign_in_refused', `${displayName} did not sign you in.`, { cause });
  }
  return new AppError('sign_in_failed', `Signing in at ${displayName} failed.`, { cause });
}

/** An outage, or a mistake of ours in the settings: nothing was said about the user. */
function saysNothing(error: unknown): boolean {
  if (error instanceof KeysUnavailable) return true;
  if (error instanceof AnswerFault) return error.failure === 'unavailable';
  if (error instanceof client.AuthorizationResponseError) {
    return ['temporarily_unavailable', 'server_error'].includes(error.error);
  }
  if (error instanceof client.ResponseBodyError && error.error === 'invalid_client') return true;
  if (error instanceof client.WWWAuthenticateChallengeError) return true;
  const status = statusIn(error) ?? statusIn(causeOf(error));
  if (status !== undefined) return status === 429 || status >= 500;
  const isTimeout = error instanceof client.ClientError && error.code === 'OAUTH_TIMEOUT';
  // As fetch rejects when nothing answers.
  return isTimeout || (error instanceof TypeError && error.cause !== undefined);
}

/** Returns the status of an answer, by whichever library it was fetched, or of an error that holds the answer. */
const statusIn = (value: unknown): number | undefined =>
  typeof value === 'object' && value !== null && 'status' in value
    ? Number(value.status)
    : undefined;

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined);
