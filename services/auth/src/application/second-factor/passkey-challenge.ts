import type { Ports, Visitor } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import type { PasskeyChallenge } from './ports.js';

const CHALLENGE_MS = 5 * 60_000;
const ID_BYTES = 16;

export interface ChallengeRequest {
  readonly mfaToken: string | undefined;
  readonly visitor: Visitor;
}

/**
 * Gives a challenge for an authenticator of any user, or of the user whose login waits for it. AppError
 * `too_many_attempts`, `too_busy`: each challenge is stored until it expires.
 */
export const passkeyChallenge =
  (ports: Ports) =>
  async ({ mfaToken, visitor }: ChallengeRequest) => {
    const { factors, now } = ports;
    await ports.limits.challenge(visitor);
    const userId = mfaToken && (await factors.pendingUser(hashOfSecret(mfaToken), now()));
    const known = userId ? (await factors.of(userId)).passkeys : [];
    const { challenge, options } = await ports.webAuthn.authenticationOptions(known);
    const asked = { challenge, purpose: 'authenticate' as const };
    return { challengeId: await keepChallenge(ports, userId || null, asked), options };
  };

/** Keeps a challenge for five minutes, and returns its id. */
export async function keepChallenge(
  { factors, now, random }: Ports,
  userId: string | null,
  { challenge, purpose }: Pick<PasskeyChallenge, 'challenge' | 'purpose'>,
): Promise<string> {
  const challengeId = random(ID_BYTES).toString('base64url');
  const expiresAt = new Date(now().getTime() + CHALLENGE_MS);
  await factors.keepChallenge({ challengeId, challenge, userId, purpose, expiresAt });
  return challengeId;
}
