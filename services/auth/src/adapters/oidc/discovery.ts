import { boundedFetch, type Fetch, fetchJson, remembered } from '@junction/async';
import { AppError } from '@junction/errors';
import type { IssuerSignIn as SignInSettings, TrustedIssuer } from '@junction/service/process';
import * as client from 'openid-client';

const TIMEOUT_S = 5;
/** So long an issuer is taken for one that answers, or for one that is away, as Retry-After says too. */
const FRESH_S = 5;
const SECOND_MS = 1_000;

/** Name under which the id_token of an answer comes: openid-client would check it by rules that issuers break. */
export const UNCHECKED_ID_TOKEN = 'unchecked_id_token';

export interface DiscoveryOptions {
  readonly issuer: TrustedIssuer;
  readonly signIn: SignInSettings;
  readonly authentication: client.ClientAuth;
  readonly send: Fetch;
}

/**
 * Discovers an issuer once for all requests of a moment, and again soon, so that its going and coming are noticed.
 */
export const discovery = ({ issuer: { issuer }, signIn, authentication, send }: DiscoveryOptions) =>
  remembered(FRESH_S * SECOND_MS, async (): Promise<client.Configuration> => {
    const execute = issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
    try {
      return await client.discovery(new URL(issuer), signIn.clientId, undefined, authentication, {
        [client.customFetch]: async (url, { body, ...init }) =>
          body === undefined ? boundedFetch(send)(url, init) : tokens(url, { ...init, body }, send),
        execute,
        timeout: TIMEOUT_S,
      });
    } catch (cause) {
      throw issuerUnavailable(cause);
    }
  });

async function tokens(url: string, init: RequestInit, send: Fetch): Promise<Response> {
  const { body, ...answer } = await fetchJson(url, init, send);
  const { id_token, ...others } = { ...(body as object | undefined) } as Record<string, unknown>;
  return Response.json({ ...others, [UNCHECKED_ID_TOKEN]: id_token }, answer);
}

export const issuerUnavailable = (cause: unknown): AppError =>
  new AppError(
    'issuer_unavailable',
    'The issuer does not answer just now. Try again in a moment.',
    { cause, retryAfterS: FRESH_S },
  );
