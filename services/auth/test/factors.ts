import type { TestDatabase } from '@junction/testing';
import { TOTP } from 'otpauth';
import type { FactorProof } from '../src/application/second-factor/ports.js';
import { addPasskey, ORIGIN, visitor } from './account-owner.js';
import { authOnPostgres, loggedIn, newcomer } from './auth-on-postgres.js';
import { softwareAuthenticator } from './software-authenticator.js';

export const NO_FACTORS = { totpSince: null, passkeys: [], recoveryCodesLeft: 0 };
const STEP_MS = 30_000;

/** Signs in a person without a second factor. */
export async function signedIn(database: TestDatabase) {
  const auth = await authOnPostgres(database);
  const { app } = auth;
  const person = newcomer();
  const { id: userId } = await app.register(person);
  await loggedIn(app, person);
  const current = async () => {
    const [newest] = await app.listSessions(userId);
    return { userId, sessionId: newest?.id ?? '' };
  };
  const caller = await current();
  /** The login of now, which waits for the second factor. */
  const pending = async () => {
    const outcome = await app.login(person);
    if (!('mfaToken' in outcome)) throw new Error('Nothing more was asked for.');
    return outcome;
  };
  const finish = async (mfaToken: string, proof: FactorProof) =>
    app.finishSignIn({ mfaToken, proof, visitor });
  return { ...auth, person, userId, caller, current, pending, finish };
}

/** Gives a person with an authenticator. */
export async function withTotp(database: TestDatabase) {
  const auth = await signedIn(database);
  const { app, ports, userId, caller, later } = auth;
  const { secret, uri } = await app.secondFactors.offerTotp(userId);
  const codeOf = new TOTP({ secret });
  const code = () => codeOf.generate({ timestamp: ports.now().getTime() });
  const added = await app.secondFactors.confirmTotp(caller, code(), undefined);
  /** A code that was not shown yet. */
  const nextCode = () => {
    later(STEP_MS);
    return code();
  };
  return { ...auth, secret, uri, code, nextCode, added };
}

/** Gives a person with a passkey. */
export async function withPasskey(database: TestDatabase, options = ORIGIN) {
  const auth = await signedIn(database);
  const { app, caller } = auth;
  const device = softwareAuthenticator(options);
  const added = await addPasskey(app, caller, device);
  const assertion = async (mfaToken?: string, counter?: number) => {
    const { challengeId, options } = await app.secondFactors.passkeyChallenge({
      mfaToken,
      visitor,
    });
    return { challengeId, response: device.get(String(options['challenge']), counter) };
  };
  return { ...auth, device, added, assertion };
}

export const totpOf = (code: string): FactorProof => ({ kind: 'totp', code });
export const recoveryOf = (code = ''): FactorProof => ({ kind: 'recovery_code', code });
