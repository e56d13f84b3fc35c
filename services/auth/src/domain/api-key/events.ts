import { type EventsOf, personal } from '@junction/eventsourcing';
import { z } from 'zod';

const at = z.iso.datetime();
const about = { keyId: z.string(), userId: z.uuid(), at };

/**
 * The cause of a key's end: its owner, an operator, the end of the owner's account, or a link that takes changes
 * back.
 */
const revocationReason = z.enum(['user', 'operator', 'user_deleted', 'undo']);
export type ApiKeyRevocationReason = z.infer<typeof revocationReason>;

/**
 * Stored forever: add types and fields, but never rename one or give it a second meaning.
 * `name` is sealed with the user's own key wherever it is stored. The key itself is in no event: a table holds its
 * hash.
 */
export const apiKeyEvents = {
  'api_key.created': z.object({
    ...about,
    name: personal(z.string()),
    scopes: z.array(z.string()),
    /** Absent: it does not expire. */
    expiresAt: at.optional(),
  }),
  'api_key.rotated': z.object({
    ...about,
    /** The version of the new secret, counted from 1. */
    secretVersion: z.int(),
    /** Until when the last secret counts as well. */
    previousValidUntil: at,
    /** Secrets that count no more from then on. */
    endedSecretVersions: z.array(z.int()),
  }),
  'api_key.revoked': z.object({ ...about, reason: revocationReason }),
};

export type ApiKeyEvent = EventsOf<typeof apiKeyEvents>;
