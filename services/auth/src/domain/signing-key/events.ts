import type { EventsOf } from '@junction/eventsourcing';
import { z } from 'zod';

const at = z.iso.datetime();

/** Why a key signs no more: its time was over, or somebody else may have it. */
const retirementReason = z.enum(['rotated', 'compromised']);
export type RetirementReason = z.infer<typeof retirementReason>;

/**
 * Stored forever: add types and fields, but never rename one or give it a second meaning.
 * `kid` is the thumbprint of the public half (RFC 7638). The key itself is in no event: a table holds it.
 */
export const signingKeyEvents = {
  'signing_key.created': z.object({ kid: z.string(), signsFrom: at, at }),
  'signing_key.retired': z.object({
    kid: z.string(),
    publishedUntil: at,
    reason: retirementReason,
    at,
  }),
};

export type SigningKeyEvent = EventsOf<typeof signingKeyEvents>;
