import type { RevokedReason } from './connection/events.js';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** Difference between clocks that is allowed for. */
export const SKEW_MS = 5 * MINUTE_MS;

/**
 * Subject of an event: an account by its `sub`, or a refresh token by the SHA-512 of its SHA-512, or by its first
 * characters.
 */
export type Subject =
  | { readonly by: 'account' | 'token_prefix'; readonly value: string }
  | { readonly by: 'token_hash'; readonly value: Buffer };

/** Event of a provider about an account or a token, checked. */
export interface SecurityEvent {
  /** Id of the event, unique at this provider for ever. */
  readonly jti: string;
  /** Last words of the event types, for instance `tokens-revoked`. */
  readonly names: readonly string[];
  /** Subject of the event; undefined when the event names nothing that we could know. */
  readonly subject: Subject | undefined;
  readonly issuedAt: Date;
  /** Time of the event, as the provider says; not after `issuedAt`. */
  readonly happenedAt: Date;
}

/**
 * Meaning of an event. `end`: nothing is left to be used. `suspect`: tokens may have ended with what happened, and the
 * provider is asked. `none`: nothing that concerns connections.
 */
export type Meaning =
  | { readonly kind: 'end'; readonly reason: RevokedReason }
  | { readonly kind: 'suspect' }
  | { readonly kind: 'none' };

/** Event types of RISC 1.0 and of OAuth that end a connection. */
const ENDS: Readonly<Record<string, RevokedReason>> = {
  'account-purged': 'account_purged',
  'account-disabled': 'account_disabled',
  'tokens-revoked': 'tokens_revoked',
  'token-revoked': 'token_revoked',
};

/** CAEP 1.0 and RISC 1.0: a password that was changed ends the tokens of one provider, and not of the next. */
const SUSPICIONS = new Set([
  'session-revoked',
  'sessions-revoked',
  'credential-change',
  'credential-compromise',
  'account-credential-change-required',
]);

/** Returns the gravest meaning among the events of a token. */
export function meaningOf(names: readonly string[]): Meaning {
  const end = Object.entries(ENDS).find(([name]) => names.includes(name));
  if (end !== undefined) return { kind: 'end', reason: end[1] };
  return { kind: names.some((name) => SUSPICIONS.has(name)) ? 'suspect' : 'none' };
}

/**
 * Returns what an event means for a connection that began at `connectedAt`. An event from before that time has no
 * effect; when it is so little earlier that clocks may be to blame, the provider is asked. Providers count whole
 * seconds.
 */
export function meaningFor(meaning: Meaning, happenedAt: Date, connectedAt: Date): Meaning {
  const beganMs = Math.floor(connectedAt.getTime() / SECOND_MS) * SECOND_MS;
  if (meaning.kind === 'none' || happenedAt.getTime() >= beganMs) return meaning;
  return { kind: happenedAt.getTime() >= beganMs - SKEW_MS ? 'suspect' : 'none' };
}
