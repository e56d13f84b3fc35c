import { AppError } from '@junction/errors';
import { foreignSubject } from '@junction/service-kit/callers';
import type { IssuerSignIn as SignInSettings, TrustedIssuer } from '@junction/service-kit/process';
import * as client from 'openid-client';
import type { IssuerSignIn, IssuerSignIns } from '../../application/foreign/ports.js';

const TIMEOUT_S = 5;

export interface IssuerSignInsOptions {
  readonly issuers: readonly TrustedIssuer[];
  readonly publicUrl: string;
  /** A variable of the environment, for client secrets. */
  readonly variable: (name: string) => string | undefined;
  readonly fetch: typeof fetch;
}

/** Those of TRUSTED_ISSUERS_FILE that are marked for it. */
export const issuerSignIns = ({
  issuers,
  publicUrl,
  variable,
  fetch: send,
}: IssuerSignInsOptions): IssuerSignIns =>
  new Map(
    issuers.flatMap((issuer) => {
      if (issuer.signIn === undefined) return [];
      const { signIn } = issuer;
      const redirectUri = `${publicUrl}/api/auth/sign-in/${issuer.id}/callback`;
      const authentication = authenticationOf(signIn, variable);
      return [[issuer.id, issuerSignIn({ issuer, signIn, redirectUri, authentication, send })]];
    }),
  );

function authenticationOf(
  { secretVariable }: SignInSettings,
  variable: IssuerSignInsOptions['variable'],
): client.ClientAuth {
  if (secretVariable === undefined) return client.None();
  const secret = variable(secretVariable);
  if (secret) return client.ClientSecretBasic(secret);
  throw new Error(`TRUSTED_ISSUERS_FILE: the variable ${secretVariable} is not set.`);
}

interface Options {
  readonly issuer: TrustedIssuer;
  readonly signIn: SignInSettings;
  readonly redirectUri: string;
  readonly authentication: client.ClientAuth;
  readonly send: typeof fetch;
}

function issuerSignIn(options: Options): IssuerSignIn {
  const { issuer, signIn, redirectUri } = options;
  const { id, displayName, requiredScopes } = issuer;
  const discover = discovery(options);
  return {
    id,
    displayName,

    async begin() {
      const config = await discover();
      const [state, nonce] = [client.randomState(), client.randomNonce()];
      const codeVerifier = client.randomPKCECodeVerifier();
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: signIn.scopes.join(' '),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      return { url, pending: { state, nonce, codeVerifier } };
    },

    async finish(callback, { state, nonce, codeVerifier }) {
      const config = await discover();
      // The redirect URI goes into the token request, and a gateway may have changed the request's own.
      const url = new URL(redirectUri);
      url.search = callback.search;
      const tokens = await client
        .authorizationCodeGrant(config, url, {
          pkceCodeVerifier: codeVerifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        })
        .catch((error: unknown) => {
          throw refusal(displayName, error);
        });
      // RFC 6749, section 5.1: an answer without scope has granted what was asked for.
      const granted = tokens.scope?.split(' ') ?? signIn.scopes;
      const claims = tokens.claims();
      const userId = claims && foreignSubject({ ...claims }, issuer);
      if (userId === undefined || !requiredScopes.every((scope) => granted.includes(scope))) {
        throw refusal(displayName, undefined);
      }
      return { userId, origin: id };
    },
  };
}

/** Found once; sought again while the issuer does not answer. */
function discovery({ issuer: { issuer }, signIn, authentication, send }: Options) {
  let found: Promise<client.Configuration> | undefined;
  const execute = issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
  return async (): Promise<client.Configuration> => {
    found ??= client.discovery(new URL(issuer), signIn.clientId, undefined, authentication, {
      [client.customFetch]: async (url, { body, ...init }) =>
        send(url, { ...init, ...(body !== undefined && { body }) }),
      execute,
      timeout: TIMEOUT_S,
    });
    try {
      return await found;
    } catch (cause) {
      found = undefined;
      throw new AppError(
        'issuer_unavailable',
        'The issuer does not answer just now. Try again in a moment.',
        { cause, retryAfterS: 5 },
      );
    }
  };
}

function refusal(displayName: string, cause: unknown): AppError {
  if (cause instanceof client.AuthorizationResponseError) {
    return new AppError('sign_in_refused', `${displayName} did not sign you in.`, { cause });
  }
  return new AppError('sign_in_failed', `Signing in at ${displayName} failed.`, { cause });
}
