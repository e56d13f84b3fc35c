import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import {
  finishSignIn,
  signInByPasskey,
} from '../src/application/second-factor/sign-in-with-factor.js';
import { login } from '../src/application/session/login.js';
import { accountOwner, ORIGIN, useMail, visitor } from './account-owner.js';
import { REFRESH_TTL_MS } from './auth-on-postgres.js';
import { authSchema } from './schema.js';
import { softwareAuthenticator } from './software-authenticator.js';

const NEW_PASSWORD = 'another horse battery';

const database = useDatabase(authSchema);
const mail = useMail();

const refused = (code: string) => expect.objectContaining({ code });
const owner = async () => accountOwner(database(), mail());

describe('a request that is under way while changes are taken back', () => {
  it('makes no API key, and gives none another secret', async () => {
    const { app, userId, caller, newKey, addPasskey, tokenOf, undo } = await owner();
    const key = await newKey();
    const { keyId = '' } = (await app.holderOf(key)) ?? {};
    await addPasskey();
    const { sessionId } = await caller();
    await undo(await tokenOf('A second factor was added'));
    const over = refused('invalid_token');
    await expect(app.createApiKey(userId, { name: 'late', sessionId })).rejects.toEqual(over);
    await expect(app.rotateApiKey(userId, keyId, 0, sessionId)).rejects.toEqual(over);
    expect(await app.listApiKeys(userId)).toHaveLength(1);
    expect(await app.holderOf(key)).toBeDefined();
  });

  it('removes no factor, and makes no recovery codes', async () => {
    const { app, caller, addPasskey, addTotp, tokenOf, factors, undo } = await owner();
    const { passkeyId } = await addPasskey();
    await addTotp();
    const thief = await caller();
    const { codes } = await factors();
    await app.secondFactors.newRecoveryCodes(thief);
    await undo(await tokenOf('New recovery codes were made'));
    const over = refused('invalid_token');
    const { removeTotp, removePasskey } = app.secondFactors;
    await expect(removeTotp(thief)).rejects.toEqual(over);
    await expect(removePasskey(thief, passkeyId)).rejects.toEqual(over);
    await expect(app.secondFactors.newRecoveryCodes(thief)).rejects.toEqual(over);
    expect([codes, await factors()]).toEqual([10, { totp: true, passkeys: 1, codes: 0 }]);
  });

  it.each([
    ['the password and a factor', 'endPendingLogin'],
    ['a passkey alone', 'usePasskey'],
    ['a passkey alone, a moment later', 'passwordHash'],
  ] as const)('begins no session by %s', async (_, step) => {
    const { app, ports, person, userId, addPasskey, tokenOf, undo } = await owner();
    const device = softwareAuthenticator(ORIGIN);
    const { recoveryCodes: [code = ''] = [] } = await addPasskey(device);
    const token = await tokenOf('A second factor was added');
    const thenUndo =
      <A extends readonly unknown[], T>(work: (...given: A) => Promise<T>) =>
      async (...given: A): Promise<T> => {
        const done = await work(...given);
        await undo(token);
        return done;
      };
    const { endPendingLogin, usePasskey } = ports.factors;
    const overtaken = {
      ...ports,
      factors: {
        ...ports.factors,
        ...(step === 'endPendingLogin' && { endPendingLogin: thenUndo(endPendingLogin) }),
        ...(step === 'usePasskey' && { usePasskey: thenUndo(usePasskey) }),
      },
      accounts: {
        ...ports.accounts,
        ...(step === 'passwordHash' && { passwordHash: thenUndo(ports.accounts.passwordHash) }),
      },
    };
    const pending = await app.login(person);
    const mfaToken = 'mfaToken' in pending ? pending.mfaToken : '';
    const { challengeId, options } = await app.secondFactors.passkeyChallenge({
      mfaToken: undefined,
      visitor,
    });
    const assertion = { challengeId, response: device.get(String(options['challenge'])) };
    const proof = { kind: 'recovery_code' as const, code };
    await expect(
      step === 'endPendingLogin'
        ? finishSignIn(overtaken, REFRESH_TTL_MS)({ mfaToken, proof, visitor })
        : signInByPasskey(overtaken, REFRESH_TTL_MS)({ assertion, visitor }),
    ).rejects.toMatchObject({ kind: 'unauthenticated' });
    expect(await app.listSessions(userId)).toEqual([]);
  });
});

describe('a login under way by the password of before', () => {
  it.each(['the link of a mail', 'a change of the password', 'a reset'])(
    'waits for no factor after %s',
    async (way) => {
      const { app, ports, person, caller, addPasskey, tokenOf, undo } = await owner();
      await addPasskey();
      const token = await tokenOf('A second factor was added');
      const session = await caller();
      await app.forgotPassword(person.email, visitor);
      const reset = await tokenOf('Reset your password');
      const change = { currentPassword: person.password, newPassword: NEW_PASSWORD, visitor };
      const ways: Readonly<Record<string, () => Promise<void>>> = {
        'the link of a mail': async () => undo(token),
        'a change of the password': async () => app.changePassword(session, change),
        'a reset': async () => app.resetPassword(reset, NEW_PASSWORD, visitor),
      };
      const factors = {
        ...ports.factors,
        of: async (userId: string) => {
          const found = await ports.factors.of(userId);
          await ways[way]?.();
          return found;
        },
      };
      const overtaken = login({ ...ports, factors }, REFRESH_TTL_MS);
      await expect(overtaken(person)).rejects.toEqual(refused('invalid_credentials'));
    },
  );

  it('waits for no factor after a change at the same moment', async () => {
    const { app, person, userId, caller, addPasskey } = await owner();
    await addPasskey();
    const change = { currentPassword: person.password, newPassword: NEW_PASSWORD, visitor };
    const session = await caller();
    const logins = Promise.allSettled(Array.from({ length: 16 }, async () => app.login(person)));
    await app.changePassword(session, change);
    for (const outcome of await logins) {
      if (outcome.status === 'fulfilled') continue;
      expect(outcome.reason).toEqual(refused('invalid_credentials'));
    }
    const text = 'select from pending_logins where user_id = $1';
    expect((await database().pool.query(text, [userId])).rowCount).toBe(0);
  });
});
