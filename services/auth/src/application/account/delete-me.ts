import type { StreamAppend } from '@junction/eventsourcing';
import { apiKeyDecider } from '../../domain/api-key/decider.js';
import type { AuthEvent } from '../../domain/auth-event.js';
import { userDecider } from '../../domain/user/decider.js';
import type { Ports } from '../ports.js';
import { streamOf } from '../streams.js';
import { sessionEnds } from './account-appends.js';
import type { OwnedStreams } from './ports.js';

/** Ends the account with its sessions and API keys. Does nothing the second time. */
export const deleteMe =
  ({ accounts, now }: Ports) =>
  async (userId: string): Promise<void> => {
    const at = now().toISOString();
    await accounts.close(userId, (owned) => closingEvents(userId, owned, at));
  };

/** Every stream of the user ends in the same moment, so nothing of hers is left open to answer. */
function closingEvents(
  userId: string,
  { userVersion, sessions, apiKeys }: OwnedStreams,
  at: string,
): readonly StreamAppend<AuthEvent>[] {
  const reason = 'user_deleted' as const;
  return [
    {
      streamId: streamOf.user(userId),
      expected: userVersion,
      events: userDecider.decide(
        { type: 'DeleteUser', data: { at } },
        { status: 'registered', userId, isVerified: true },
      ),
    },
    ...sessionEnds(sessions, { userId, reason, at }),
    ...apiKeys.map(({ keyId, version }) => ({
      streamId: streamOf.apiKey(keyId),
      expected: version,
      events: apiKeyDecider.decide(
        { type: 'RevokeApiKey', data: { userId, reason, at } },
        // Which of its secrets is the newest does not matter to its end.
        { status: 'active', keyId, userId, secretVersion: 1 },
      ),
    })),
  ];
}
