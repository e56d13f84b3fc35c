import type { Scopes } from '../../domain/connection/events.js';

/** Our scopes, each with the provider's name for it. */
export type ScopeNames = Readonly<Record<string, string>>;

/**
 * Returns the granted scopes in our names. The provider's answer is a set: order and repetitions mean nothing. No
 * answer means that all requested scopes are granted (RFC 6749, section 5.1).
 */
export function scopesOf(names: ScopeNames, answer: string | undefined): Scopes {
  const theirs = answer === undefined ? undefined : new Set(answer.split(/\s+/).map(canonical));
  const isGranted = (ours: string) =>
    theirs === undefined || theirs.has(canonical(names[ours] ?? ''));
  const ours = Object.keys(names);
  return {
    grantedScopes: ours.filter(isGranted),
    missingScopes: ours.filter((scope) => !isGranted(scope)),
  };
}

const GRAPH = /^https:\/\/graph\.microsoft\.com\//i;
const DOTTED_WORDS = /^[a-z]+(\.[a-z]+)+$/i;

/**
 * Returns a name in the form in which names are compared: letter by letter (RFC 6749, section 3.3). A name of Microsoft
 * Graph (Mail.Send) may be answered without its resource, and in another case than in the request.
 */
function canonical(name: string): string {
  const short = name.replace(GRAPH, '');
  return DOTTED_WORDS.test(short) ? short.toLowerCase() : name;
}

/**
 * Scopes of OpenID Connect itself (Core 1.0, sections 5.4 and 11): who the user is, and for how long access lasts.
 */
const IDENTITY_SCOPES = [
  'openid',
  'profile',
  'email',
  'address',
  'phone',
  'offline_access',
  // Google answers `email` and `profile` by these names.
  'https://www.googleapis.com/auth/userinfo.email',
  'https://www.googleapis.com/auth/userinfo.profile',
];
const UNASKED_MAX = 20;
/** Matches a scope (RFC 6749, section 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

/** Returns the scopes that were granted without being requested, in the provider's names: twenty of them at most. */
export function unaskedScopes(asked: readonly string[], answer = ''): readonly string[] {
  const known = new Set([...asked, ...IDENTITY_SCOPES].map(canonical));
  const isUnasked = (name: string) => SCOPE.test(name) && !known.has(canonical(name));
  const unasked = answer.split(/\s+/).filter(isUnasked);
  return [...new Set(unasked)].slice(0, UNASKED_MAX);
}
