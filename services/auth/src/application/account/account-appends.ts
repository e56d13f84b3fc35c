import { replay, type StreamAppend } from '@junction/eventsourcing';
import { apiKeyDecider } from '../../domain/api-key/decider.js';
import type { ApiKeyRevocationReason } from '../../domain/api-key/events.js';
import type { AuthEvent } from '../../domain/auth-event.js';
import { sessionDecider } from '../../domain/session/decider.js';
import type { RevocationReason } from '../../domain/session/events.js';
import { type UserCommand, userDecider } from '../../domain/user/decider.js';
import { streamOf } from '../streams.js';
import type { ChangedAccount, OwnedStreams } from './ports.js';

/** Returns the events of a command to an account, to be appended; none when there is nothing to do. */
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

/** The ends of these API keys. */
export const apiKeyEnds = (
  apiKeys: OwnedStreams['apiKeys'],
  { userId, reason, at }: { userId: string; reason: ApiKeyRevocationReason; at: string },
): readonly StreamAppend<AuthEvent>[] =>
  apiKeys.map(({ keyId, version }) => ({
    streamId: streamOf.apiKey(keyId),
    expected: version,
    events: apiKeyDecider.decide(
      { type: 'RevokeApiKey', data: { userId, reason, at } },
      // Which of its secrets is the newest does not matter to its end.
      { status: 'active', keyId, userId, secretVersion: 1 },
    ),
  }));
