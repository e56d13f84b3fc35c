import { ProblemError, UnavailableError } from '../api/problem.js';
import type { Client } from '../api/types.js';
import { wordsOf } from './kinds.js';

const CALLBACK = /^\/connect\/([^/]+)\/([^/]+)\/callback\/?$/;

/** Answer of a provider (RFC 6749, sections 4.1.2 and 4.1.2.1; iss: RFC 9207). */
export type ProviderAnswer =
  | { readonly kind: 'code'; readonly code: string; readonly state?: string; readonly iss?: string }
  | {
      readonly kind: 'error';
      readonly error: string;
      readonly description?: string;
      readonly state?: string;
      readonly iss?: string;
    };

export interface Returned {
  /** The client whose redirect URI received the answer. */
  readonly client: Client;
  readonly answer: ProviderAnswer;
}

export const isCallback = (pathname: string): boolean => CALLBACK.test(pathname);

/** Reads the answer in the address of the callback page; undefined where there is none. */
export function readReturn({
  pathname,
  search,
}: Pick<URL, 'pathname' | 'search'>): Returned | undefined {
  const [, identityProvider = '', kind = ''] = CALLBACK.exec(pathname) ?? [];
  const client = clientOf(identityProvider, kind);
  const answer = answerIn(new URLSearchParams(search));
  return client && answer && { client, answer };
}

const IDENTITY_PROVIDER = /^[a-z][a-z0-9-]{0,31}$/;

/** The client that an address names; undefined for a kind or an identity provider that cannot exist. */
export function clientOf(identityProvider: string, kind: string): Client | undefined {
  const provider = wordsOf(kind)?.provider;
  return provider && IDENTITY_PROVIDER.test(identityProvider)
    ? { identityProvider, provider }
    : undefined;
}

/** The other as the router reads it out of an address. */
export const isSameClient = (one: Client, other: Record<keyof Client, string>): boolean =>
  one.identityProvider === other.identityProvider && one.provider === other.provider;

function answerIn(query: URLSearchParams): ProviderAnswer | undefined {
  const given = (name: string, as = name) => {
    const value = query.get(name);
    return value ? { [as]: value } : {};
  };
  const error = query.get('error');
  if (error) {
    return {
      kind: 'error',
      error,
      ...given('error_description', 'description'),
      ...given('state'),
      ...given('iss'),
    };
  }
  const code = query.get('code');
  return code ? { kind: 'code', code, ...given('state'), ...given('iss') } : undefined;
}

/** The address with the answer in its query, behind what it has there by itself (RFC 6749, section 4.1.2). */
export function withAnswer(returnTo: string, answer: ProviderAnswer): URL {
  const url = new URL(returnTo);
  const { state, iss } = answer;
  const brought =
    answer.kind === 'code'
      ? { code: answer.code, state, iss }
      : { error: answer.error, error_description: answer.description, state, iss };
  const added = new URLSearchParams();
  for (const [name, value] of Object.entries(brought)) {
    if (value !== undefined) added.append(name, value);
  }
  url.search = [url.search.slice(1), String(added)].filter(Boolean).join('&');
  return url;
}

/**
 * Says why a code did not connect, and what to do; undefined: the usual words say it. The page always offers to start
 * again.
 */
export function refusalOf(error: unknown, name: string): string | undefined {
  if (error instanceof UnavailableError) {
    return `It could not be completed right now. ${error.message}`;
  }
  switch (error instanceof ProblemError ? error.problem.code : '') {
    case 'invalid_state':
      return 'Your consent is too old, was already used, or was started by another user or at another provider. It works once, for ten minutes.';
    case 'invalid_auth_code':
      return 'The provider did not accept its own code: it has expired, or was already used.';
    case 'invalid_issuer':
      return 'The answer came from a different provider than the one you were sent to. Nothing was connected.';
    case 'unknown_provider':
      return notSetUp(name);
    case 'unknown_identity_provider':
      return notSetUpThere(name);
    default:
      return undefined;
  }
}

/** Returns the text for an installation that has no provider for this kind. */
export const notSetUp = (name: string): string =>
  `This installation has no provider for a ${name}. Ask its operator to set one up.`;

/** Returns the text for an installation that has only other providers for this kind. */
export const notSetUpThere = (name: string): string =>
  `This installation does not use this provider for a ${name}. Choose another one, or ask its operator.`;

/** Explains the provider's refusal (RFC 6749, section 4.1.2.1). */
export function providerRefusal(error: string): string {
  switch (error) {
    case 'access_denied':
      return 'You declined at the provider, so nothing was connected or changed. You can try again at any time, and allow only some permissions.';
    case 'server_error':
    case 'temporarily_unavailable':
      return 'The provider is having problems. Try again in a few minutes.';
    default:
      return 'The provider answered with an error. Try again. If it keeps failing, show its message to the operator of this installation.';
  }
}
