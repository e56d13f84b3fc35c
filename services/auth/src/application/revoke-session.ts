import type { RevocationReason } from '../domain/session/events.js';
import type { Ports } from './ports.js';
import { streamOf } from './streams.js';

/** Ends a session. Does nothing when it has ended. */
export async function revokeSession(
  { unitOfWork, now }: Pick<Ports, 'unitOfWork' | 'now'>,
  sessionId: string,
  reason: RevocationReason,
): Promise<void> {
  const data = { reason, at: now().toISOString() };
  await unitOfWork.inTurn(streamOf.session(sessionId), async (tx) =>
    tx.handleSession(sessionId, { type: 'RevokeSession', data }),
  );
}
