import { beforeEach, describe, expect, it } from '@jest/globals';
import { signal } from '@junction/async';
import { useDatabase } from '@junction/testing';
import { changePassword } from '../src/application/account/password.js';
import { startSession } from '../src/application/start-session.js';
import { accountOwner, signedUp, useMail, verified, visitor } from './account-owner.js';
import { codeOf, loggedIn, newcomer, REFRESH_TTL_MS } from './auth-on-postgres.js';
import { authSchema } from './schema.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NEW_PASSWORD = 'another horse battery';

const database = useDatabase(authSchema);
const mail = useMail();
beforeEach(async () => void (await database().pool.query('delete from mails')));

const signUp = async () => signedUp(database(), mail());

describe('an address', () => {
  it('is verified by a link that stays the same, for a day after the newest mail', async () => {
    const { app, person, userId, tokenTo, later } = await signUp();
    const token = await tokenTo(person.email);
    later(DAY_MS - MINUTE_MS);
    await app.resendVerification(userId, visitor);
    expect(await tokenTo(person.email)).toBe(token);
    later(DAY_MS - MINUTE_MS);
    expect(await codeOf(app.verifyEmail(token, visitor))).toBe('registrant_unknown');
    later(MINUTE_MS);
    expect(await codeOf(app.verifyEmail(token, visitor))).toBe('invalid_or_used_token');
  });

  it('is changed once the new one is confirmed, and the old one hears of it', async () => {
    const { app, person, userId, caller, tokenTo, subjects } = await signUp();
    const newEmail = `new-${person.email}`;
    const change = { password: person.password, newEmail, visitor };
    await app.changeEmail(await caller(), change);
    const token = await tokenTo(newEmail);
    expect((await app.me(userId)).email).toBe(person.email);
    await app.verifyEmail(token, visitor, { password: person.password });
    expect(await app.me(userId)).toMatchObject({
      email: newEmail,
      email_verified: true,
    });
    expect(await subjects()).toContain('Your e-mail address was changed');
    await expect(
      loggedIn(app, { email: newEmail, password: person.password, visitor }),
    ).resolves.toMatchObject({ userId });
  });

  it('is not changed with a wrong password, nor to one that somebody else takes meanwhile', async () => {
    const { app, person, userId, caller, tokenTo } = await signUp();
    const newEmail = `taken-${person.email}`;
    expect(
      await codeOf(app.changeEmail(await caller(), { password: 'wrong', newEmail, visitor })),
    ).toBe('invalid_password');
    await app.changeEmail(await caller(), { password: person.password, newEmail, visitor });
    const token = await tokenTo(newEmail);
    await app.register({ email: newEmail, password: NEW_PASSWORD, visitor });
    const own = { sessionUserId: userId };
    expect(await codeOf(app.verifyEmail(token, visitor, own))).toBe('email_taken');
    expect((await app.me(userId)).email).toBe(person.email);
  });
});

describe('a forgotten password', () => {
  it('is replaced by the link of a mail, once, which ends every session', async () => {
    const { app, person, userId, caller, tokenTo, login, subjects } = await verified(
      database(),
      mail(),
    );
    const { accessToken } = await login();
    expect(accessToken).toBeDefined();
    const newEmail = `new-${person.email}`;
    await app.changeEmail(await caller(), { password: person.password, newEmail, visitor });
    const change = await tokenTo(newEmail);
    await app.forgotPassword(person.email, visitor);
    const token = await tokenTo(person.email);
    await app.resetPassword(token, NEW_PASSWORD, visitor);

    expect(await app.listSessions(userId)).toEqual([]);
    expect(await codeOf(login())).toBe('invalid_credentials');
    await expect(login(NEW_PASSWORD)).resolves.toMatchObject({ userId });
    for (const used of [token, change]) {
      expect(await codeOf(app.resetPassword(used, 'yet another one', visitor))).toBe(
        'invalid_or_used_token',
      );
    }
    expect(await codeOf(app.verifyEmail(change, visitor, { sessionUserId: userId }))).toBe(
      'invalid_or_used_token',
    );
    expect(await subjects()).toContain('Your password was changed');
  });

  it('leaves guesses at the second factor counted, whether it is changed or reset', async () => {
    const { app, caller, ports, person, userId, send, tokenTo, login } = await verified(
      database(),
      mail(),
    );
    await login();
    const own = await caller();
    const guess = (proved?: string) =>
      ports.limits.secondFactor({ userId, visitor }, async () => proved);
    for (let n = 0; n < 20; n++) await guess();
    const change = { currentPassword: person.password, newPassword: 'another one', visitor };
    await app.changePassword(own, change);
    expect(await codeOf(guess('right'))).toBe('too_many_attempts');
    await send();
    await app.forgotPassword(person.email, visitor);
    await app.resetPassword(await tokenTo(person.email), NEW_PASSWORD, visitor);
    expect(await codeOf(guess('right'))).toBe('too_many_attempts');
  });

  it('leaves the second factor, which is asked for after the new one', async () => {
    const { app, person, addTotp, tokenOf } = await accountOwner(database(), mail());
    await addTotp();
    await app.forgotPassword(person.email, visitor);
    await app.resetPassword(await tokenOf('Reset your password'), NEW_PASSWORD, visitor);
    const login = await app.login({ email: person.email, password: NEW_PASSWORD, visitor });
    expect(login).toHaveProperty('mfaToken');
  });

  it('ends a login that has shown the old one, and a change of it that is under way', async () => {
    const { app, caller, ports, person, userId, tokenTo, login } = await verified(
      database(),
      mail(),
    );
    await login();
    const own = await caller();
    const [hashing, reset] = [signal(), signal()];
    const passwords = {
      ...ports.passwords,
      async hash(password: string) {
        hashing.set();
        await reset.wait(MINUTE_MS);
        return ports.passwords.hash(password);
      },
    };
    const change = changePassword({ ...ports, passwords })(own, {
      currentPassword: person.password,
      newPassword: 'a thief chose it',
      visitor,
    });
    const overtaken = change.catch((error: unknown) => error);
    await hashing.wait(MINUTE_MS);
    const credential = await ports.accounts.credential(person.email);
    const { passwordHash } = credential ?? { passwordHash: '' };
    await app.forgotPassword(person.email, visitor);
    await app.resetPassword(await tokenTo(person.email), NEW_PASSWORD, visitor);
    reset.set();
    expect(await overtaken).toMatchObject({ code: 'unauthenticated' });
    expect(await codeOf(startSession(ports, { userId, passwordHash }, REFRESH_TTL_MS))).toBe(
      'invalid_credentials',
    );
    await expect(login(NEW_PASSWORD)).resolves.toMatchObject({ userId });
  });

  it('is not replaced half an hour later, nor by a link for something else', async () => {
    const { app, person, tokenTo, later } = await signUp();
    const verification = await tokenTo(person.email);
    await app.forgotPassword(person.email, visitor);
    const token = await tokenTo(person.email);
    later(30 * MINUTE_MS);
    for (const useless of [token, verification, 'jn_mt_nothing']) {
      expect(await codeOf(app.resetPassword(useless, NEW_PASSWORD, visitor))).toBe(
        'invalid_or_used_token',
      );
    }
  });

  it('queues the same for an address that nobody has, and sends nothing', async () => {
    const { app, send, failures } = await signUp();
    await send();
    const nobody = `nobody-${Date.now()}@example.com`;
    await app.forgotPassword(nobody, visitor);
    const queued = await database().pool.query('select from mails');
    expect(queued.rowCount).toBe(1);
    await send();
    expect(mail().server.mails(nobody)).toEqual([]);
    expect((await database().pool.query('select from mails')).rowCount).toBe(0);
    expect(failures).toEqual([]);
  });
});

describe('a password', () => {
  it('is changed by whoever knows it, and the other sessions end', async () => {
    const { app, caller, person, userId, login } = await signUp();
    await login();
    const own = await caller();
    await login();
    const change = { newPassword: NEW_PASSWORD, visitor };
    expect(await codeOf(app.changePassword(own, { ...change, currentPassword: 'wrong' }))).toBe(
      'invalid_password',
    );
    await app.changePassword(own, { ...change, currentPassword: person.password });
    expect((await app.listSessions(userId)).map(({ id }) => id)).toEqual([own.sessionId]);
    await expect(login(NEW_PASSWORD)).resolves.toMatchObject({ userId });
  });

  it('is never made of the address, and the link that was to set it is still good', async () => {
    const { app, caller, person, userId, login, tokenTo } = await signUp();
    const weak = expect.objectContaining({
      fields: [expect.objectContaining({ code: 'weak_password' })],
    });
    const ofAddress = `${person.email.toUpperCase()}!`;
    await expect(
      app.register({ ...newcomer(), email: 'grace@x.example', password: 'grace1906' }),
    ).rejects.toEqual(weak);
    await app.verifyEmail(await tokenTo(person.email), visitor, { sessionUserId: userId });
    await login();
    const own = await caller();
    const change = { currentPassword: person.password, newPassword: ofAddress, visitor };
    await expect(app.changePassword(own, change)).rejects.toEqual(weak);
    await app.forgotPassword(person.email, visitor);
    const token = await tokenTo(person.email);
    await expect(app.resetPassword(token, ofAddress, visitor)).rejects.toEqual(weak);
    await expect(login()).resolves.toMatchObject({ userId });
    await app.resetPassword(token, NEW_PASSWORD, visitor);
    await expect(login(NEW_PASSWORD)).resolves.toMatchObject({ userId });
  });
});
