import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { signal } from '@junction/async';
import { type DevMail, startDevMail } from '@junction/dev-servers/mail';
import { freePort, useDatabase } from '@junction/testing';
import { smtpMailer } from '../src/adapters/smtp/mailer.js';
import { changePassword } from '../src/application/account/password.js';
import { sendMails } from '../src/application/mail/send-mails.js';
import { startSession } from '../src/application/session/start-session.js';
import { authOnPostgres, loggedIn, newcomer, REFRESH_TTL_MS } from './auth-on-postgres.js';
import { authSchema } from './schema.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NEW_PASSWORD = 'another horse battery';
const visitor = { ip: '192.0.2.1', onLimit: () => {} };
const publicUrl = 'http://localhost:8080';

const database = useDatabase(authSchema);
let server: DevMail;
let mailer: ReturnType<typeof smtpMailer>;
beforeAll(async () => {
  server = await startDevMail();
  mailer = smtpMailer({
    smtpUrl: server.smtpUrl,
    from: 'Junction <no-reply@example.com>',
    requireTls: false,
  });
});
beforeEach(async () => void (await database().pool.query('delete from mails')));
afterAll(async () => {
  mailer.close();
  await server.close();
});

/** Signs a person up, with the mails that went out so far. */
async function signedUp() {
  const auth = await authOnPostgres(database());
  const { app, ports } = auth;
  const person = newcomer();
  const { id: userId } = await app.register(person);
  const failures: unknown[] = [];
  const onFailed = (error: unknown) => void failures.push(error);
  const send = sendMails(ports, { mailer, publicUrl, onFailed });
  /** The token of the newest mail to the address. */
  const tokenTo = async (address: string) => {
    await send();
    return /#token=([\w-]+)/.exec(server.mails(address)[0]?.links[0] ?? '')?.[1] ?? '';
  };
  const login = async (password = person.password) =>
    loggedIn(app, { email: person.email, password, visitor });
  const subjects = async (address = person.email) => {
    await send();
    return server.mails(address).map(({ subject }) => subject);
  };
  return { ...auth, person, userId, failures, send, tokenTo, login, subjects };
}

/** The same, with the address verified. */
async function verified() {
  const signed = await signedUp();
  const { app, person, userId, tokenTo } = signed;
  await app.verifyEmail(await tokenTo(person.email), visitor, { sessionUserId: userId });
  return signed;
}

const refused = (code: string) => expect.objectContaining({ code });

/** How many mails wait to be sent. */
const queued = async () => (await database().pool.query('select from mails')).rowCount;
const hourEnds = async () =>
  database().pool.query(`update attempts set expire = 0 where key like 'mails-address-hour:%'`);

describe('an address', () => {
  it('is verified by the link of the mail that signing up sends, once', async () => {
    const { app, person, userId, tokenTo } = await signedUp();
    expect((await app.me(userId)).emailVerifiedAt).toBeNull();
    const token = await tokenTo(person.email);
    const own = { sessionUserId: userId };
    await app.verifyEmail(token, visitor, own);
    expect((await app.me(userId)).emailVerifiedAt).toBeInstanceOf(Date);
    await expect(app.verifyEmail(token, visitor, own)).rejects.toEqual(
      refused('invalid_or_used_token'),
    );
  });

  it('is verified by the newest link alone, and for a day', async () => {
    const { app, person, userId, tokenTo, later } = await signedUp();
    const first = await tokenTo(person.email);
    await app.resendVerification(userId);
    const second = await tokenTo(person.email);
    expect(second).not.toBe(first);
    await expect(app.verifyEmail(first, visitor)).rejects.toEqual(refused('invalid_or_used_token'));
    later(DAY_MS);
    await expect(app.verifyEmail(second, visitor)).rejects.toEqual(
      refused('invalid_or_used_token'),
    );
  });

  it('is changed once the new one is confirmed, and the old one hears of it', async () => {
    const { app, person, userId, tokenTo, subjects } = await signedUp();
    const newEmail = `new-${person.email}`;
    const change = { password: person.password, newEmail, visitor };
    await app.changeEmail(userId, change);
    const token = await tokenTo(newEmail);
    expect((await app.me(userId)).email).toBe(person.email);
    await app.verifyEmail(token, visitor, { password: person.password });
    expect(await app.me(userId)).toMatchObject({
      email: newEmail,
      emailVerifiedAt: expect.any(Date),
    });
    expect(await subjects()).toContain('Your e-mail address was changed');
    await expect(
      loggedIn(app, { email: newEmail, password: person.password, visitor }),
    ).resolves.toMatchObject({ userId });
  });

  it('is not changed with a wrong password, nor to one that somebody else takes meanwhile', async () => {
    const { app, person, userId, tokenTo } = await signedUp();
    const newEmail = `taken-${person.email}`;
    await expect(app.changeEmail(userId, { password: 'wrong', newEmail, visitor })).rejects.toEqual(
      refused('invalid_password'),
    );
    await app.changeEmail(userId, { password: person.password, newEmail, visitor });
    const token = await tokenTo(newEmail);
    await app.register({ email: newEmail, password: NEW_PASSWORD, visitor });
    const own = { sessionUserId: userId };
    await expect(app.verifyEmail(token, visitor, own)).rejects.toEqual(refused('email_taken'));
    expect((await app.me(userId)).email).toBe(person.email);
  });
});

describe('a forgotten password', () => {
  it('is replaced by the link of a mail, once, which ends every session', async () => {
    const { app, ports, person, userId, tokenTo, login, subjects } = await verified();
    const { accessToken } = await login();
    expect(accessToken).toBeDefined();
    const newEmail = `new-${person.email}`;
    await app.changeEmail(userId, { password: person.password, newEmail, visitor });
    const change = await tokenTo(newEmail);
    await app.forgotPassword(person.email, visitor);
    const token = await tokenTo(person.email);
    await app.resetPassword(token, NEW_PASSWORD, visitor);

    expect(await ports.sessions.list(userId)).toEqual([]);
    await expect(login()).rejects.toEqual(refused('invalid_credentials'));
    await expect(login(NEW_PASSWORD)).resolves.toMatchObject({ userId });
    for (const used of [token, change]) {
      await expect(app.resetPassword(used, 'yet another one', visitor)).rejects.toEqual(
        refused('invalid_or_used_token'),
      );
    }
    await expect(app.verifyEmail(change, visitor, { sessionUserId: userId })).rejects.toEqual(
      refused('invalid_or_used_token'),
    );
    expect(await subjects()).toContain('Your password was changed');
  });

  it('begins the count of guesses anew once it is reset, and not when it is changed', async () => {
    const { app, ports, person, userId, tokenTo, login } = await verified();
    await login();
    const [own] = await ports.sessions.list(userId);
    const guess = (proved?: string) =>
      ports.limits.secondFactor({ userId, visitor }, async () => proved);
    for (let n = 0; n < 20; n++) await guess();
    const change = { currentPassword: person.password, newPassword: 'another one', visitor };
    await app.changePassword({ userId, sessionId: own?.sessionId ?? '' }, change);
    await expect(guess('right')).rejects.toEqual(refused('too_many_attempts'));
    await app.forgotPassword(person.email, visitor);
    await app.resetPassword(await tokenTo(person.email), NEW_PASSWORD, visitor);
    await expect(guess('right')).resolves.toBe('right');
  });

  it('is replaced by one of those who use a link at the same time', async () => {
    const { app, person, tokenTo } = await signedUp();
    await app.forgotPassword(person.email, visitor);
    const token = await tokenTo(person.email);
    const outcomes = await Promise.allSettled(
      [1, 2, 3, 4].map((n) => app.resetPassword(token, `${NEW_PASSWORD} ${n}`, visitor)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('ends a login that has shown the old one, and a change of it that is under way', async () => {
    const { app, ports, person, userId, tokenTo, login } = await verified();
    await login();
    const [own] = await ports.sessions.list(userId);
    const [hashing, reset] = [signal(), signal()];
    const passwords = {
      ...ports.passwords,
      async hash(password: string) {
        hashing.set();
        await reset.wait(MINUTE_MS);
        return ports.passwords.hash(password);
      },
    };
    const change = changePassword({ ...ports, passwords })(
      { userId, sessionId: own?.sessionId ?? '' },
      { currentPassword: person.password, newPassword: 'a thief chose it', visitor },
    );
    const overtaken = change.catch((error: unknown) => error);
    await hashing.wait(MINUTE_MS);
    const { passwordHash = '' } = (await ports.accounts.credential(person.email)) ?? {};
    await app.forgotPassword(person.email, visitor);
    await app.resetPassword(await tokenTo(person.email), NEW_PASSWORD, visitor);
    reset.set();
    expect(await overtaken).toEqual(refused('unauthenticated'));
    await expect(startSession(ports, { userId, passwordHash }, REFRESH_TTL_MS)).rejects.toEqual(
      refused('invalid_credentials'),
    );
    await expect(login(NEW_PASSWORD)).resolves.toMatchObject({ userId });
  });

  it('is not replaced half an hour later, nor by a link for something else', async () => {
    const { app, person, tokenTo, later } = await signedUp();
    const verification = await tokenTo(person.email);
    await app.forgotPassword(person.email, visitor);
    const token = await tokenTo(person.email);
    later(30 * MINUTE_MS);
    for (const useless of [token, verification, 'jn_mt_nothing']) {
      await expect(app.resetPassword(useless, NEW_PASSWORD, visitor)).rejects.toEqual(
        refused('invalid_or_used_token'),
      );
    }
  });

  it('of an address that nobody has queues the same, and sends nothing', async () => {
    const { app, send, failures } = await signedUp();
    await send();
    const nobody = `nobody-${Date.now()}@example.com`;
    await app.forgotPassword(nobody, visitor);
    const queued = await database().pool.query('select from mails');
    expect(queued.rowCount).toBe(1);
    await send();
    expect(server.mails(nobody)).toEqual([]);
    expect((await database().pool.query('select from mails')).rowCount).toBe(0);
    expect(failures).toEqual([]);
  });
});

describe('a password', () => {
  it('is changed by whoever knows it, and the other sessions end', async () => {
    const { app, ports, person, userId, login } = await signedUp();
    await login();
    const [own] = await ports.sessions.list(userId);
    await login();
    const caller = { userId, sessionId: own?.sessionId ?? '' };
    const change = { newPassword: NEW_PASSWORD, visitor };
    await expect(
      app.changePassword(caller, { ...change, currentPassword: 'wrong' }),
    ).rejects.toEqual(refused('invalid_password'));
    await app.changePassword(caller, { ...change, currentPassword: person.password });
    expect((await ports.sessions.list(userId)).map(({ sessionId }) => sessionId)).toEqual([
      own?.sessionId,
    ]);
    await expect(login(NEW_PASSWORD)).resolves.toMatchObject({ userId });
  });

  it('is never made of the address, and the link that was to set it is still good', async () => {
    const { app, ports, person, userId, login, tokenTo } = await signedUp();
    const weak = expect.objectContaining({
      fields: [expect.objectContaining({ code: 'weak_password' })],
    });
    const ofAddress = `${person.email.toUpperCase()}!`;
    await expect(
      app.register({ ...newcomer(), email: 'grace@x.example', password: 'grace1906' }),
    ).rejects.toEqual(weak);
    await app.verifyEmail(await tokenTo(person.email), visitor, { sessionUserId: userId });
    await login();
    const [own] = await ports.sessions.list(userId);
    const caller = { userId, sessionId: own?.sessionId ?? '' };
    const change = { currentPassword: person.password, newPassword: ofAddress, visitor };
    await expect(app.changePassword(caller, change)).rejects.toEqual(weak);
    await app.forgotPassword(person.email, visitor);
    const token = await tokenTo(person.email);
    await expect(app.resetPassword(token, ofAddress, visitor)).rejects.toEqual(weak);
    await expect(login()).resolves.toMatchObject({ userId });
    await app.resetPassword(token, NEW_PASSWORD, visitor);
    await expect(login(NEW_PASSWORD)).resolves.toMatchObject({ userId });
  });
});

describe('a mail', () => {
  it('that the server refuses for good is given up at once', async () => {
    const { app, send, failures } = await signedUp();
    await send();
    await app.register({ ...newcomer(), email: `lost-${Date.now()}@refused.example` });
    await send();
    expect(failures).toMatchObject([{ code: 'mail_refused' }]);
    expect((await database().pool.query('select from mails')).rowCount).toBe(0);
  });

  it('that no server takes is tried again for a day, and then given up', async () => {
    const { ports, later } = await signedUp();
    const nowhere = smtpMailer({
      smtpUrl: `smtp://127.0.0.1:${await freePort()}`,
      from: 'Junction <no-reply@example.com>',
      requireTls: false,
    });
    const failures: unknown[] = [];
    const onFailed = (error: unknown) => void failures.push(error);
    const send = sendMails(ports, { mailer: nowhere, publicUrl, onFailed });
    await send();
    expect(failures).toMatchObject([{ code: 'mail_server_unavailable' }]);
    await send();
    expect(failures).toHaveLength(1);
    later(MINUTE_MS);
    await send();
    expect(failures).toHaveLength(2);
    later(DAY_MS);
    await send();
    expect((await database().pool.query('select from mails')).rowCount).toBe(0);
    nowhere.close();
  });

  it('is not handed to a server without TLS, except in development', async () => {
    const { person, ports } = await signedUp();
    const strict = smtpMailer({
      smtpUrl: server.smtpUrl,
      from: 'Junction <no-reply@example.com>',
      requireTls: true,
    });
    const failures: unknown[] = [];
    const onFailed = (error: unknown) => void failures.push(error);
    await sendMails(ports, { mailer: strict, publicUrl, onFailed })();
    expect(failures).toMatchObject([{ code: 'mail_server_unavailable' }]);
    expect(server.mails(person.email)).toEqual([]);
    strict.close();
  });

  it('is sent by one of the replicas, and lies nowhere with its address or a token in clear', async () => {
    const { person, send, userId } = await signedUp();
    const { rows } = await database().pool.query<{ row: string }>(
      'select row_to_json(mails)::text as row from mails where user_id = $1',
      [userId],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(Buffer.from(person.email).toString('hex'));
    await Promise.all([send(), send(), send()]);
    const mails = server.mails(person.email);
    expect(mails).toHaveLength(1);
    const token = /#token=([\w-]+)/.exec(mails[0]?.text ?? '')?.[1] ?? 'none';
    const kept = await database().pool.query<{ row: string }>(
      'select row_to_json(mailed_tokens)::text as row from mailed_tokens',
    );
    expect(JSON.stringify(kept.rows)).not.toContain(Buffer.from(token).toString('hex'));
  });
});

describe('mails that somebody asks for', () => {
  it('are five an hour to an address, whoever asks for them and in whatever way', async () => {
    const other = await signedUp();
    await other.send();
    const { app, person, userId } = await signedUp();
    const change = { password: other.person.password, newEmail: person.email, visitor };
    for (let n = 0; n < 4; n++) {
      await app.resendVerification(userId);
      await app.forgotPassword(person.email, visitor);
      await other.app.changeEmail(other.userId, change);
    }
    expect(await queued()).toBe(5);
  });

  it('are five an hour to an address that is registered and deleted again and again', async () => {
    const { app, send } = await signedUp();
    const person = newcomer();
    for (let n = 0; n < 12; n++) {
      const { id } = await app.register(person);
      await send();
      await app.deleteMe(id, { password: person.password, visitor });
    }
    expect(server.mails(person.email)).toHaveLength(5);
  });

  it('are ten a day by a user, to however many addresses', async () => {
    const { app, person, userId } = await signedUp();
    for (let n = 0; n < 12; n++) {
      const newEmail = `stranger-${n}-${person.email}`;
      await app.changeEmail(userId, { password: person.password, newEmail, visitor });
    }
    expect(await queued()).toBe(10);
  });

  it('are ten a day to an address', async () => {
    const { app, person } = await signedUp();
    for (let hour = 0; hour < 4; hour++) {
      for (let n = 0; n < 5; n++) await app.forgotPassword(person.email, visitor);
      await hourEnds();
    }
    expect(await queued()).toBe(10);
  });

  it('are no more when all are asked for at once, of several replicas', async () => {
    const { app, person } = await signedUp();
    const replicas = [app, (await authOnPostgres(database())).app];
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => replicas[n % 2]?.forgotPassword(person.email, visitor)),
    );
    expect(await queued()).toBe(5);
  });

  it('count for nobody where they were not sent', async () => {
    const { app, userId } = await signedUp();
    for (let n = 0; n < 12; n++) await app.resendVerification(userId);
    expect(await queued()).toBe(5);
    await hourEnds();
    for (let n = 0; n < 12; n++) await app.resendVerification(userId);
    expect(await queued()).toBe(10);
  });

  it('do not use up those that tell an owner what was done', async () => {
    const { app, ports, person, userId, login, subjects } = await signedUp();
    await login();
    const [own] = await ports.sessions.list(userId);
    for (let n = 0; n < 12; n++) await app.resendVerification(userId);
    const caller = { userId, sessionId: own?.sessionId ?? '' };
    const passwords = { currentPassword: person.password, newPassword: NEW_PASSWORD };
    await app.changePassword(caller, { ...passwords, visitor });
    expect(await subjects()).toContain('Your password was changed');
  });
});

describe('an export', () => {
  it('holds the account, its sessions and keys without secrets, and what happened', async () => {
    const { app, person, userId, login, tokenTo } = await signedUp();
    await login();
    await app.verifyEmail(await tokenTo(person.email), visitor, { sessionUserId: userId });
    const { key } = await app.createApiKey(userId, { name: 'laptop' });
    const exported = await app.exportAccount(userId);
    expect(exported).toMatchObject({
      user: { id: userId, email: person.email },
      sessions: [{ sessionId: expect.any(String) }],
      apiKeys: [{ name: 'laptop' }],
      history: [
        { type: 'user.registered', data: { email: person.email } },
        { type: 'user.email_verified' },
      ],
    });
    expect(JSON.stringify(exported)).not.toContain(key);
  });
});
