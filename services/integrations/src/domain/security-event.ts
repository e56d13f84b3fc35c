import type { RevokedReason } from './connection/events.js';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** As far as clocks may differ. */
export const SKEW_MS = 5 * MINUTE_MS;

/**
 * Whom an event is about: an account by its `sub`, or one refresh token, by the SHA-512 of the SHA-512
 * of it or by the characters it begins with.
 */
export type Subject =
  | { readonly by: 'account' | 'token_prefix'; readonly value: string }
  | { readonly by: 'token_hash'; readonly value: Buffer };

/** What a provider tells about an account or a token, checked. */
export interface SecurityEvent {
  /** Names one event of this provider, for ever. */
  readonly jti: string;
  /** What happened, in the last words of the event types: `tokens-revoked`. */
  readonly names: readonly string[];
  /** Undefined when the event names nothing that we could know. */
  readonly subject: Subject | undefined;
  readonly issuedAt: Date;
  /** As the provider says; not after `issuedAt`. */
  readonly happenedAt: Date;
}

/**
 * `end`: there is nothing left to be used. `suspect`: tokens may have ended with what happened, and the
 * provider is asked. `none`: nothing that concerns connections.
 */
export type Meaning =
  | { readonly kind: 'end'; readonly reason: RevokedReason }
  | { readonly kind: 'suspect' }
  | { readonly kind: 'none' };

/** RISC 1.0 and the OAuth event types. */
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

/** The gravest of what an event token tells. */
export function meaningOf(names: readonly string[]): Meaning {
  const ended = Object.keys(ENDS).find((name) => names.includes(name));
  const reason = ended === undefined ? undefined : ENDS[ended];
  if (reason !== undefined) return { kind: 'end', reason };
  return { kind: names.some((name) => SUSPICIONS.has(name)) ? 'suspect' : 'none' };
}

/**
 * What it means for a connection that began when it did. What happened before that has no effect; so
 * little before that clocks may be to blame, the provider is asked. Providers count whole seconds.
 */
export function meaningFor(meaning: Meaning, happenedAt: Date, connectedAt: Date): Meaning {
  const beganMs = Math.floor(connectedAt.getTime() / SECOND_MS) * SECOND_MS;
  if (meaning.kind === 'none' || happenedAt.getTime() >= beganMs) return meaning;
  return { kind: happenedAt.getTime() >= beganMs - SKEW_MS ? 'suspect' : 'none' };
}
