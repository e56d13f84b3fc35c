import type { StreamAppend } from '@junction/eventsourcing';
import type { AuthEvent } from '../../domain/auth-event.js';
import { userDecider } from '../../domain/user/decider.js';
import { apiKeyEnds, sessionEnds } from '../account/account-appends.js';
import type { Closing, OwnedStreams } from '../account/ports.js';
import type { Ports } from '../ports.js';
import { streamOf } from '../streams.js';
import type { DeletionReceipt } from './ports.js';

const RECEIPT_BYTES = 16;

/** Ends the account with its sessions and API keys. Does nothing the second time, and gives no receipt for it. */
export const deleteUser =
  (ports: Ports) =>
  async (userId: string): Promise<DeletionReceipt | undefined> =>
    ports.accounts.close(userId, closingOf(ports, userId));

/** The end of an account by now, whatever it has. */
export function closingOf(
  { now, random }: Pick<Ports, 'now' | 'random'>,
  userId: string,
): (owned: OwnedStreams) => Closing {
  const deletedAt = now();
  const receiptId = `rcp_${random(RECEIPT_BYTES).toString('base64url')}`;
  return (owned) => ({
    appends: closingEvents(userId, owned, deletedAt.toISOString()),
    receipt: { receiptId, deletedAt, services: { auth: countsOf(owned) } },
  });
}

const countsOf = ({ sessions, apiKeys, passkeys }: OwnedStreams) => ({
  sessions: sessions.length,
  api_keys: apiKeys.length,
  passkeys,
});

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
        { status: 'registered', userId, isVerified: true, role: 'user', origin: undefined },
      ),
    },
    ...sessionEnds(sessions, { userId, reason, at }),
    ...apiKeyEnds(apiKeys, { userId, reason, at }),
  ];
}
