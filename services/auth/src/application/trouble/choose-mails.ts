import { AppError } from '@junction/errors';
import type { Ports } from '../ports.js';

/** Turns the mails about troubles on or off. AppError `unauthenticated` for a user who is gone. */
export const chooseTroubleMails =
  ({ unitOfWork, now }: Pick<Ports, 'unitOfWork' | 'now'>) =>
  async (userId: string, wanted: boolean): Promise<void> => {
    const data = { wanted, at: now().toISOString() };
    await unitOfWork.inTurn(userId, async (tx) =>
      tx.handleUser(userId, { type: 'ChooseTroubleMails', data }),
    );
  };

/** Turns the mails about troubles off, by the token of one of them. AppError `invalid_or_used_token`. */
export const unsubscribe =
  (ports: Pick<Ports, 'unitOfWork' | 'unsubscribeTokens' | 'now'>) =>
  async (token: string): Promise<void> => {
    const userId = ports.unsubscribeTokens.userOf(token);
    if (userId === undefined) {
      const message = 'This link is incomplete. Open it again from the e-mail.';
      throw new AppError('invalid_or_used_token', message);
    }
    await chooseTroubleMails(ports)(userId, false).catch(unlessGone);
  };

/** An account that has ended gets no mails. */
function unlessGone(error: unknown): void {
  if (AppError.from(error).code !== 'unauthenticated') throw error;
}
