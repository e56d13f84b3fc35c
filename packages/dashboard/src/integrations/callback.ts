import { ProblemError, UnavailableError } from '../api/problem.js';
import type { Provider } from '../api/types.js';
import { wordsOf } from './providers.js';

const CALLBACK = /^\/connect\/([^/]+)\/callback\/?$/;

/** What a provider sent back (RFC 6749, sections 4.1.2 and 4.1.2.1; iss: RFC 9207). */
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
  readonly provider: Provider;
  readonly answer: ProviderAnswer;
}

export const isCallback = (pathname: string): boolean => CALLBACK.test(pathname);

/** Reads the answer in the address of the callback page; undefined where there is none. */
export function readReturn({ pathname, search }: Pick<URL, 'pathname' | 'search'>) {
  const provider = wordsOf(CALLBACK.exec(pathname)?.[1] ?? '')?.provider;
  const answer = provider && answerIn(new URLSearchParams(search));
  return answer && ({ provider, answer } satisfies Returned);
}

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

/** Why a code did not connect, and what to do. The page offers to start again in every case. */
export interface Refusal {
  readonly title: string;
  readonly text: string;
}

export function refusalOf(error: unknown, name: string): Refusal {
  const title = `Your ${name} is not connected`;
  if (error instanceof UnavailableError) {
    return { title, text: `It could not be completed right now. ${error.message}` };
  }
  if (!(error instanceof ProblemError)) {
    return { title, text: error instanceof Error ? error.message : 'Something went wrong.' };
  }
  switch (error.problem.code) {
    case 'invalid_state':
      return {
        title,
        text: 'Your consent is too old, was used already, or was started by another user. It is valid for ten minutes and a single use.',
      };
    case 'invalid_auth_code':
      return {
        title,
        text: 'The provider does not accept the code that it sent back: it expired, or was used already.',
      };
    case 'invalid_issuer':
      return {
        title,
        text: 'The answer came from another provider than the one you were sent to. Nothing was connected.',
      };
    case 'unknown_provider':
      return { title, text: notSetUp(name) };
    default:
      return { title, text: error.message };
  }
}

/** Said when this installation has no provider for what was asked for. */
export const notSetUp = (name: string): string =>
  `This installation has no provider for a ${name}. Ask its operator to set one up.`;

/** What the provider's own refusal means (RFC 6749, section 4.1.2.1). */
export function providerRefusal(error: string, name: string): Refusal {
  const title = `Your ${name} is not connected`;
  switch (error) {
    case 'access_denied':
      return {
        title,
        text: 'You declined at the provider, so nothing was connected or changed. You can try again at any time, and allow only some of the permissions.',
      };
    case 'server_error':
    case 'temporarily_unavailable':
      return {
        title,
        text: 'The provider has problems at the moment. Try again in a few minutes.',
      };
    default:
      return {
        title,
        text: 'The provider answered with an error. Try again; if the error returns, show its message to the operator of this installation.',
      };
  }
}

/** Was another account connected than the one before? Undefined: no, or there was none. */
export const replacedAccount = (
  before: string | undefined,
  after: string | undefined,
): string | undefined => (before !== undefined && before !== after ? before : undefined);
