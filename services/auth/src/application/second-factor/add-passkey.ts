import { AppError } from '@junction/errors';
import { lockInSession } from '../locked-account.js';
import { ownAddress } from '../me.js';
import type { Ports } from '../ports.js';
import { type AddedFactor, addedFactor, addFactor, type Owner } from './add-factor.js';
import { keepChallenge } from './passkey-challenge.js';
import type { Passkey, PasskeyAssertion } from './ports.js';

const AMR = ['hwk', 'mfa'];

/** Gives a challenge for a passkey that is to be made. AppError `account_elsewhere`. */
export const offerPasskey = (ports: Ports) => async (userId: string) => {
  const email = await ownAddress(ports, userId);
  const { passkeys } = await ports.factors.of(userId);
  const { challenge, options } = await ports.webAuthn.registrationOptions(
    { userId, email },
    passkeys,
  );
  const challengeId = await keepChallenge(ports, userId, { challenge, purpose: 'register' });
  return { challengeId, options };
};

/** Adds the passkey that was made for a challenge. AppError `invalid_passkey`, `invalid_token`. */
export const addPasskey =
  (ports: Ports, refreshTokenTtlMs: number) =>
  async (
    { name, ...owner }: Owner & { readonly name: string },
    { challengeId, response }: PasskeyAssertion,
  ): Promise<AddedFactor & Passkey> => {
    const { factors, unitOfWork, webAuthn, newPasskeyId, now } = ports;
    const { userId } = owner;
    const challenge = await factors.takeChallenge(challengeId, { purpose: 'register', now: now() });
    const made =
      challenge?.userId === userId
        ? await webAuthn.verifyRegistration(response, challenge.challenge)
        : undefined;
    if (made === undefined) throw invalidPasskey();
    const passkeyId = newPasskeyId();
    const passkey = { passkeyId, name, createdAt: now(), lastUsedAt: null };
    const first = await unitOfWork.inTurn(userId, async (tx) => {
      await lockInSession(tx, owner);
      const factor = { factor: 'passkey' as const, passkeyId };
      const added = { factor, amr: AMR, refreshTokenTtlMs };
      const first = await addFactor(tx, ports, owner, added);
      await tx.passkeys.add({ ...made, ...passkey, userId });
      return first;
    });
    return { ...(await addedFactor(ports, first)), ...passkey };
  };

export const invalidPasskey = (cause?: unknown): AppError =>
  new AppError('invalid_passkey', 'This passkey was not made for us just now. Try again.', {
    cause,
  });
