import type { Event } from '@junction/eventsourcing';

/** Why a key signs no more: its time was over, or somebody else may have it. */
export type RetirementReason = 'rotated' | 'compromised';

/**
 * Stored forever: add types and fields, but never rename one or give it a second meaning.
 * `kid` is the thumbprint of the public half (RFC 7638). The key itself is in no event: a table holds it.
 */
export type SigningKeyEvent =
  | Event<'signing_key.created', { kid: string; signsFrom: string; at: string }>
  | Event<
      'signing_key.retired',
      { kid: string; publishedUntil: string; reason: RetirementReason; at: string }
    >;
