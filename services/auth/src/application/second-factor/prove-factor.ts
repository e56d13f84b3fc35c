import type { Ports } from '../ports.js';
import type { FactorProof, PasskeyAssertion, StoredPasskey } from './ports.js';
import { hashOfCode } from './recovery-codes.js';

/** The factor that was shown, as an authentication method (RFC 8176). */
export type FactorMethod = 'otp' | 'hwk' | 'recovery';

/** How the second factor was shown; undefined when the proof is not good. */
export async function proveFactor(
  ports: Ports,
  userId: string,
  proof: FactorProof,
): Promise<FactorMethod | undefined> {
  switch (proof.kind) {
    case 'totp':
      return (await proveTotp(ports, userId, proof.code)) ? 'otp' : undefined;
    case 'recovery_code':
      return (await useRecoveryCode(ports, userId, proof.code)) ? 'recovery' : undefined;
    case 'passkey': {
      const holder = await provePasskey(ports, proof.assertion);
      return holder === userId ? 'hwk' : undefined;
    }
  }
}

async function proveTotp({ factors, totp, now }: Ports, userId: string, code: string) {
  const secret = await factors.totpSecret(userId);
  if (secret === undefined) return false;
  const step = totp.stepOf(secret, code, now());
  return step !== undefined && (await factors.takeStep(userId, step));
}

/** Uses up a code. Returns false when the user has no such code. */
const useRecoveryCode = async ({ unitOfWork, now }: Ports, userId: string, code: string) =>
  unitOfWork.inTurn(userId, async (tx) => {
    if ((await tx.accounts.lock(userId)) === undefined) return false;
    if (!(await tx.recoveryCodes.take(userId, hashOfCode(code)))) return false;
    await tx.handleUser(userId, { type: 'UseRecoveryCode', data: { at: now().toISOString() } });
    return true;
  });

/**
 * Returns the user whose passkey signed the challenge; undefined when the passkey is unknown, or the challenge is
 * another user's.
 */
export async function provePasskey(
  { factors, unitOfWork, webAuthn, now }: Ports,
  { challengeId, response }: PasskeyAssertion,
): Promise<string | undefined> {
  const wanted = { purpose: 'authenticate' as const, now: now() };
  const challenge = await factors.takeChallenge(challengeId, wanted);
  if (challenge === undefined) return undefined;
  const passkey = await passkeyShown({ factors }, { response });
  if (passkey === undefined) return undefined;
  if (challenge.userId !== null && challenge.userId !== passkey.userId) return undefined;
  const counter = await webAuthn.verifyAuthentication(response, challenge.challenge, passkey);
  if (counter === undefined) return undefined;
  const { passkeyId, userId } = passkey;
  if (await factors.usePasskey(passkeyId, counter, now())) return userId;
  const data = { passkeyId, at: now().toISOString() };
  await unitOfWork.inTurn(userId, async (tx) =>
    tx.handleUser(userId, { type: 'SuspectPasskey', data }),
  );
  return undefined;
}

/** The passkey that an answer names, whether it is proved or not. */
export async function passkeyShown(
  { factors }: Pick<Ports, 'factors'>,
  { response }: Pick<PasskeyAssertion, 'response'>,
): Promise<StoredPasskey | undefined> {
  const { id } = response;
  return typeof id === 'string' ? factors.passkey(id) : undefined;
}
