import type { EventsOf } from '@junction/eventsourcing';
import { z } from 'zod';

const at = z.iso.datetime();
const about = { clientId: z.string(), at };

/** The audience (the service the token is for) and scopes for which a client may get a token. */
const grant = z.object({ audience: z.string(), scopes: z.array(z.string()).readonly() });
export type Grant = Readonly<z.infer<typeof grant>>;

/** Public keys (RFC 7517). No private member is ever stored. */
const publicKeys = z.object({
  keys: z.array(z.record(z.string(), z.unknown()).readonly()).readonly(),
});
export type PublicKeys = Readonly<z.infer<typeof publicKeys>>;

/**
 * Stored forever: add types and fields, but never rename one or give it a second meaning.
 * A secret is in no event: a table holds its hash.
 */
export const clientEvents = {
  'client.registered': z.object({ ...about, name: z.string(), grants: z.array(grant) }),
  'client.secret_added': z.object({
    ...about,
    /** Counted from 1. */
    secretVersion: z.int(),
    /** Until when the last secret counts as well. */
    previousValidUntil: at,
  }),
  'client.keys_set': z.object({
    ...about,
    jwks: publicKeys,
    /** Until when its secrets count as well. */
    secretsValidUntil: at,
  }),
  'client.revoked': z.object(about),
};

export type ClientEvent = EventsOf<typeof clientEvents>;
