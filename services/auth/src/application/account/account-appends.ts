import { replay, type StreamAppend } from '@junction/eventsourcing';
import type { AuthEvent } from '../../domain/auth-event.js';
import { sessionDecider } from '../../domain/session/decider.js';
import type { RevocationReason } from '../../domain/session/events.js';
import { type UserCommand, userDecider } from '../../domain/user/decider.js';
import { streamOf } from '../streams.js';
import type { ChangedAccount, OwnedStreams } from './ports.js';

/** What a command makes of an account; none when there is nothing to do. */
export function userAppend(
  { userId, history, version }: ChangedAccount,
  command: UserCommand,
): readonly StreamAppend<AuthEvent>[] {
  const events = userDecider.decide(command, replay(userDecider, history));
  if (events.length === 0) return [];
  return [{ streamId: streamOf.user(userId), expected: version, events }];
}

/** The ends of these sessions. */
export const sessionEnds = (
  sessions: OwnedStreams['sessions'],
  { userId, reason, at }: { userId: string; reason: RevocationReason; at: string },
): readonly StreamAppend<AuthEvent>[] =>
  sessions.map(({ sessionId, version }) => ({
    streamId: streamOf.session(sessionId),
    expected: version,
    events: sessionDecider.decide(
      { type: 'RevokeSession', data: { reason, at } },
      { status: 'active', sessionId, userId },
    ),
  }));
