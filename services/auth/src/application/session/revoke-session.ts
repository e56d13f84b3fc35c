import type { RevocationReason } from '../../domain/session/events.js';
import type { Ports } from '../ports.js';
import { streamOf } from '../streams.js';

/** Ends a session. Does nothing when it has ended. */
export async function revokeSession(
  { handleSession, now }: Pick<Ports, 'handleSession' | 'now'>,
  sessionId: string,
  reason: RevocationReason,
): Promise<void> {
  const data = { reason, at: now().toISOString() };
  await handleSession(streamOf.session(sessionId), { type: 'RevokeSession', data });
}
