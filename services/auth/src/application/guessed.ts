import type { Limits, Ports, Visitor } from './ports.js';
import { revokeSession } from './revoke-session.js';

export interface Guess {
  readonly sessionId: string;
  readonly kind: Parameters<Limits['inSession']>[0]['kind'];
  readonly visitor: Visitor;
}

/** Takes a proof within a session, which the fifth wrong one of its kind ends. AppError `too_many_attempts`. */
export const guessed = async <T>(
  ports: Ports,
  guess: Guess,
  prove: () => Promise<T | undefined>,
): Promise<T | undefined> => {
  const end = async () => revokeSession(ports, guess.sessionId, 'guesses');
  return ports.limits.inSession({ ...guess, end }, prove);
};
