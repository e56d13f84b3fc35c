import { AppError } from '@junction/errors';
import { lockInSession } from '../locked-account.js';
import { ownAddress } from '../me.js';
import type { Ports } from '../ports.js';
import type { SessionCaller } from '../session/ports.js';
import { type AddedFactor, addedFactor, addFactor } from './add-factor.js';

const OFFER_MS = 15 * 60_000;
const AMR = ['pwd', 'otp', 'mfa'];

/** Makes a secret for an authenticator, to be confirmed within 15 minutes. AppError `totp_exists`. */
export const offerTotp = (ports: Ports) => async (userId: string) => {
  const { factors, totp, now } = ports;
  const email = await ownAddress(ports, userId);
  if ((await factors.of(userId)).totpSince !== null) throw totpExists();
  const secret = totp.newSecret();
  await factors.offerTotp(userId, secret, now());
  return totp.describe(secret, email);
};

/** Adds the authenticator of the offer by a code of it. AppError `invalid_code`, `invalid_token`. */
export const confirmTotp =
  (ports: Ports, refreshTokenTtlMs: number) =>
  async (caller: SessionCaller, code: string, device: string | undefined): Promise<AddedFactor> => {
    const { unitOfWork, totp, now } = ports;
    const { userId } = caller;
    const first = await unitOfWork.inTurn(userId, async (tx) => {
      await lockInSession(tx, caller);
      const at = now();
      const secret = await tx.totp.findOffered(userId, new Date(at.getTime() - OFFER_MS));
      const step = secret && totp.stepOf(secret, code, at);
      if (step === undefined) throw invalidCode();
      const added = { factor: { factor: 'totp' as const }, amr: AMR, refreshTokenTtlMs };
      const first = await addFactor(tx, ports, { ...caller, device }, added);
      await tx.totp.confirm(userId, step, at);
      return first;
    });
    return addedFactor(ports, first);
  };

const totpExists = (): AppError =>
  new AppError('totp_exists', 'You have an authenticator already. Remove it first.');

const invalidCode = (): AppError =>
  new AppError(
    'invalid_code',
    'This code is wrong or has expired. Enter the one your app shows now.',
  );
