import type { EventsOf } from '@junction/eventsourcing';
import { z } from 'zod';

const about = { sessionId: z.string(), userId: z.uuid(), at: z.iso.datetime() };

/**
 * The cause of a session's end. `superseded`: its user opened more sessions than allowed; `expired`: its last
 * refresh token was never used in time; `undo`: a link in a mail took changes of the account back; `issuer_refused`:
 * the trusted issuer of the user was asked again, and did not say that the same user is signed in; `guesses`: too
 * many wrong passwords or second factors were shown in it.
 */
const revocationReason = z.enum([
  'logout',
  'refresh_token_reused',
  'password_changed',
  'password_reset',
  'second_factor_added',
  'role_changed',
  'operator',
  'user_deleted',
  'superseded',
  'undo',
  'expired',
  'issuer_refused',
  'guesses',
]);
export type RevocationReason = z.infer<typeof revocationReason>;

/**
 * Stored forever: add types and fields, but never rename one or give it a second meaning.
 * The rotation of refresh tokens is no fact of this stream: it happens every few minutes, matters to
 * nobody afterwards, and is made of secrets. It lives in a table.
 */
export const sessionEvents = {
  'session.started': z.object(about),
  'session.revoked': z.object({ ...about, reason: revocationReason }),
};

export type SessionEvent = EventsOf<typeof sessionEvents>;
