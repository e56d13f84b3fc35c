import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { TOTP } from 'otpauth';
import type { Ports } from '../src/application/ports.js';
import { signedUp, useMail, visitor } from './account-owner.js';
import { codeOf } from './auth-on-postgres.js';
import { NO_FACTORS } from './factors.js';
import { authSchema } from './schema.js';

const CHOSEN = 'chosen by the owner of the mailbox';
const MINUTE_MS = 60_000;

const database = useDatabase(authSchema);
const mail = useMail();

/** Registers an address, which may be another person's, and never verifies it. */
async function registered() {
  const signed = await signedUp(database(), mail());
  const { app, person, tokenTo } = signed;
  const resetToken = async () => {
    await tokenTo();
    await app.forgotPassword(person.email, visitor);
    return tokenTo();
  };
  return { ...signed, resetToken };
}

/** An attacker who has put into an account of another's address whatever could open it later. */
async function preHijacked() {
  const victim = await registered();
  const { app, ports, person, userId, caller, tokenTo, login } = victim;
  const { key } = await app.createApiKey(userId, { name: "the attacker's" });
  await login(person.password);
  const [session] = await app.listSessions(userId);
  const change = { password: person.password, newEmail: `attacker-${person.email}`, visitor };
  await app.changeEmail(await caller(), change);
  const changeToken = await tokenTo(change.newEmail);
  const portal = await portalOf(ports, userId);
  const { secret } = await app.secondFactors.offerTotp(userId);
  const code = new TOTP({ secret }).generate({ timestamp: ports.now().getTime() });
  const added = await app.secondFactors.confirmTotp(
    { userId, sessionId: session?.id ?? '' },
    code,
    undefined,
  );
  const pending = await app.login({ email: person.email, password: person.password, visitor });
  if (!('mfaToken' in pending)) throw new Error('There is no factor.');
  const { mfaToken } = pending;
  const refreshToken = added.tokens?.refreshToken ?? '';
  const recoveryCode = added.recoveryCodes?.[0] ?? '';
  return { ...victim, key, refreshToken, changeToken, portal, mfaToken, recoveryCode };
}

/** The hash of a token of the user's portal. */
async function portalOf({ portalTokens, now }: Ports, userId: string): Promise<Buffer> {
  const tokenHash = randomBytes(32);
  const expiresAt = new Date(now().getTime() + MINUTE_MS);
  const portal = { userId, clientId: 'cli_worker', origin: 'https://app.example', appearance: {} };
  await portalTokens.keep({ ...portal, tokenHash, expiresAt });
  return tokenHash;
}

/** Nothing that the attacker had opens anything, and the address is its owner's, in another account. */
async function expectAnew(account: Awaited<ReturnType<typeof preHijacked>>) {
  const { app, ports, person, userId, mfaToken, recoveryCode, login } = account;
  expect(await ports.portalTokens.userOf(account.portal)).toBeUndefined();
  expect(await app.isRevoked([userId])).toBe(true);
  await expect(app.me(userId)).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(await codeOf(app.refresh(account.refreshToken))).toBe('invalid_refresh_token');
  const proof = { kind: 'recovery_code', code: recoveryCode } as const;
  expect(await codeOf(app.finishSignIn({ mfaToken, proof, visitor }))).toBe(
    'invalid_second_factor',
  );
  expect(
    await codeOf(app.verifyEmail(account.changeToken, visitor, { password: person.password })),
  ).toBe('invalid_or_used_token');
  expect(await codeOf(login(person.password))).toBe('invalid_credentials');

  const owner = await login(CHOSEN);
  expect(owner.userId).not.toBe(userId);
  expect(await app.me(owner.userId)).toMatchObject({
    email: person.email,
    email_verified: true,
  });
  expect(await app.listApiKeys(owner.userId)).toEqual([]);
  expect(await ports.factors.of(owner.userId)).toEqual(NO_FACTORS);
  const history = await ports.accounts.history(owner.userId);
  expect(history.map(({ type }) => type)).toEqual(['user.registered', 'user.email_verified']);
  const ended = await ports.accounts.history(userId);
  expect(ended.at(-1)?.type).toBe('user.deleted');
}

describe('an account whose address was never verified', () => {
  it('begins anew by a reset, and nothing of whoever registered it stays', async () => {
    const account = await preHijacked();
    const token = await account.resetToken();
    await account.app.resetPassword(token, CHOSEN, visitor);
    expect(await account.app.holderOf(account.key)).toBeUndefined();
    await expectAnew(account);
  });

  it('begins anew by a verification with a new password', async () => {
    const account = await preHijacked();
    await account.send();
    await account.app.resendVerification(account.userId, visitor);
    const token = await account.tokenTo();
    await account.app.verifyEmail(token, visitor, { newPassword: CHOSEN });
    expect(await account.app.holderOf(account.key)).toBeUndefined();
    await expectAnew(account);
  });

  it('begins anew once, however many use the link', async () => {
    const { app, person, resetToken } = await registered();
    const token = await resetToken();
    const outcomes = await Promise.allSettled(
      [1, 2, 3, 4].map((n) => app.resetPassword(token, `${CHOSEN} ${n}`, visitor)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { rowCount } = await database().pool.query('select from users where email = $1', [
      person.email,
    ]);
    expect(rowCount).toBe(1);
  });

  it('stays as it is where the registrant verifies it while it is to begin anew', async () => {
    const { app, person, userId, tokenTo, resetToken, login } = await registered();
    const verification = await tokenTo();
    const reset = await resetToken();
    await app.verifyEmail(verification, visitor, { password: person.password });
    await app.resetPassword(reset, CHOSEN, visitor);
    await expect(login(CHOSEN)).resolves.toMatchObject({ userId });
  });

  it('tells before a reset that it begins anew, and of nobody else’s keys', async () => {
    const { app, userId, resetToken } = await registered();
    await app.createApiKey(userId, { name: "the attacker's" });
    const token = await resetToken();
    for (let n = 0; n < 2; n++) {
      expect(await app.previewPasswordReset(token, visitor)).toEqual({ userId: undefined });
    }
  });
});

describe('a verification', () => {
  it('blesses nothing by the link alone, and does not use it up', async () => {
    const { app, userId, tokenTo } = await registered();
    const other = await registered();
    const token = await tokenTo();
    for (const proof of [{}, { sessionUserId: other.userId }]) {
      expect(await codeOf(app.verifyEmail(token, visitor, proof))).toBe('registrant_unknown');
    }
    expect(await codeOf(app.verifyEmail(token, visitor, { password: 'a guess' }))).toBe(
      'invalid_password',
    );
    expect((await app.me(userId)).email_verified).toBe(false);
    await app.verifyEmail(token, visitor, { sessionUserId: userId });
    expect((await app.me(userId)).email_verified).toBe(true);
  });

  it('gives nobody an address by the link alone, and ends nobody’s account by it', async () => {
    const { app, person, userId, caller, tokenTo } = await registered();
    const newEmail = `victim-${person.email}`;
    await app.changeEmail(await caller(), { password: person.password, newEmail, visitor });
    const token = await tokenTo(newEmail);
    for (const proof of [{}, { newPassword: CHOSEN }]) {
      expect(await codeOf(app.verifyEmail(token, visitor, proof))).toBe('password_required');
    }
    expect((await app.me(userId)).email).toBe(person.email);
    await app.register({ email: newEmail, password: CHOSEN, visitor });
  });
});

describe('a reset of a verified address', () => {
  async function withKey() {
    const account = await registered();
    const { app, userId, tokenTo } = account;
    await app.verifyEmail(await tokenTo(), visitor, { sessionUserId: userId });
    const { key, keyId } = await app.createApiKey(userId, { name: 'laptop' });
    return { ...account, key, keyId };
  }

  it('ends its API keys, which it lists before, and keeps the account', async () => {
    const { app, userId, key, keyId, resetToken, login } = await withKey();
    const token = await resetToken();
    expect(await app.previewPasswordReset(token, visitor)).toEqual({ userId });
    expect(await app.listApiKeys(userId)).toMatchObject([{ id: keyId, name: 'laptop' }]);
    await app.resetPassword(token, CHOSEN, visitor);
    expect(await app.holderOf(key)).toBeUndefined();
    expect(await app.listApiKeys(userId)).toEqual([]);
    await expect(login(CHOSEN)).resolves.toMatchObject({ userId });
    expect(await codeOf(app.previewPasswordReset(token, visitor))).toBe('invalid_or_used_token');
  });

  it('keeps them for an owner who says so', async () => {
    const { app, userId, key, resetToken } = await withKey();
    await app.resetPassword(await resetToken(), CHOSEN, visitor, { keepApiKeys: true });
    expect(await app.holderOf(key)).toMatchObject({ userId });
  });
});
