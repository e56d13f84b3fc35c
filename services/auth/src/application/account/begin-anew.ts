import { replay } from '@junction/eventsourcing';
import { userDecider } from '../../domain/user/decider.js';
import { closingOf } from '../deletion/delete-user.js';
import type { Ports } from '../ports.js';
import { streamOf } from '../streams.js';
import { invalidToken } from './mailed-token.js';
import type { TakenToken, WantedToken } from './ports.js';

/**
 * Ends an account whose address was never verified, as a deletion does, by a token that came to the address, and
 * registers another user with the address, verified, and the new password. The account may belong to somebody who
 * does not read this mailbox, so nothing of it stays. Undefined when there is no such token. AppError
 * `invalid_or_used_token` when the address was verified meanwhile.
 */
export async function beginAnew(
  ports: Ports,
  wanted: WantedToken,
  passwordHash: string,
): Promise<TakenToken | undefined> {
  return ports.accounts.beginAnew(wanted, (token) => {
    const { userId: endingId, email, currentEmail, history } = token;
    const user = replay(userDecider, history);
    if (email !== currentEmail || user.status !== 'registered' || user.isVerified) {
      throw invalidToken();
    }
    const userId = ports.newUserId();
    return {
      userId,
      passwordHash,
      closing: closingOf(ports, endingId),
      opening: {
        streamId: streamOf.user(userId),
        expected: 'none',
        events: verifiedUser({ userId, email, at: ports.now().toISOString() }),
      },
    };
  });
}

function verifiedUser(data: { userId: string; email: string; at: string }) {
  const registered = userDecider.decide({ type: 'RegisterUser', data }, userDecider.initialState);
  const verified = userDecider.decide(
    { type: 'VerifyEmail', data: { at: data.at } },
    replay(userDecider, registered),
  );
  return [...registered, ...verified];
}
