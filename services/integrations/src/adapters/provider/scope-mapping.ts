import type { Scopes } from '../../domain/connection/events.js';

/** Our scopes, each with the provider's name for it. */
export type ScopeNames = Readonly<Record<string, string>>;

/**
 * What was granted, in our names. The provider's answer is a set: order and repetitions mean nothing.
 * No answer means all that was asked for (RFC 6749, section 5.1).
 */
export function scopesOf(names: ScopeNames, answer: string | undefined): Scopes {
  const theirs = answer === undefined ? undefined : new Set(answer.split(/\s+/));
  const isGranted = (ours: string) => theirs === undefined || theirs.has(names[ours] ?? '');
  const ours = Object.keys(names);
  return {
    grantedScopes: ours.filter(isGranted),
    missingScopes: ours.filter((scope) => !isGranted(scope)),
  };
}
