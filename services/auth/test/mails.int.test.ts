import { beforeEach, describe, expect, it } from '@jest/globals';
import { freePort, useDatabase } from '@junction/testing';
import { postgresLimits } from '../src/adapters/postgres/limits.js';
import { waitingMails } from '../src/adapters/postgres/mail/mail-queue.js';
import { smtpMailer } from '../src/adapters/smtp/mailer.js';
import { forgotPassword } from '../src/application/account/password.js';
import { sendMails } from '../src/application/mail/send-mails.js';
import { signedUp, useMail, verified, visitor } from './account-owner.js';
import { authOnPostgres, codeOf, newcomer } from './auth-on-postgres.js';
import { authSchema } from './schema.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NEW_PASSWORD = 'another horse battery';
const publicUrl = 'http://localhost:8080';

const database = useDatabase(authSchema);
const mail = useMail();
beforeEach(async () => void (await database().pool.query('delete from mails')));

const signUp = async () => signedUp(database(), mail());

/** How many mails wait to be sent. */
const queued = async () => (await database().pool.query('select from mails')).rowCount;
const sentNow = async () => void (await database().pool.query('delete from mails'));
const from = (ip: string) => ({ ...visitor, ip });
const elsewhere = from('192.0.2.77');
const hourEnds = async () =>
  database().pool.query(`update attempts set expire = 0 where key like 'mails-%-hour:%'`);
const tenMinutesPass = async () =>
  database().pool.query(`update attempts set expire = 0 where key like 'mails-asked:%'`);

describe('a mail', () => {
  it('that waits for a quarter of an hour is a problem for an operator', async () => {
    const { pool } = database();
    await signUp();
    const look = () => waitingMails(pool).look();
    expect(await look()).toBe('None waits for long.');
    await pool.query(`update mails set created_at = now() - interval '16 min'`);
    expect(await look()).toEqual([
      {
        state: 'problem',
        found: expect.stringMatching(/^1 mail waits to be sent, the oldest for 1[67] minutes/),
        remedy: expect.stringContaining('The log of auth'),
      },
    ]);
  });

  it('that the server refuses for good is given up at once', async () => {
    const { app, send, failures } = await signUp();
    await send();
    await app.register({ ...newcomer(), email: `lost-${Date.now()}@refused.example` });
    await send();
    expect(failures).toMatchObject([{ code: 'mail_refused' }]);
    expect((await database().pool.query('select from mails')).rowCount).toBe(0);
  });

  it('that no server takes is tried again for a day, and then given up', async () => {
    const { ports, later } = await signUp();
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
    const { person, ports } = await signUp();
    const strict = smtpMailer({
      smtpUrl: mail().server.smtpUrl,
      from: 'Junction <no-reply@example.com>',
      requireTls: true,
    });
    const failures: unknown[] = [];
    const onFailed = (error: unknown) => void failures.push(error);
    await sendMails(ports, { mailer: strict, publicUrl, onFailed })();
    expect(failures).toMatchObject([{ code: 'mail_server_unavailable' }]);
    expect(mail().server.mails(person.email)).toEqual([]);
    strict.close();
  });

  it('is sent by one of the replicas, and lies nowhere with its address or a token in clear', async () => {
    const { person, send, userId } = await signUp();
    const { rows } = await database().pool.query<{ row: string }>(
      'select row_to_json(mails)::text as row from mails where user_id = $1',
      [userId],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain(Buffer.from(person.email).toString('hex'));
    await Promise.all([send(), send(), send()]);
    const mails = mail().server.mails(person.email);
    expect(mails).toHaveLength(1);
    const token = /#token=([\w-]+)/.exec(mails[0]?.text ?? '')?.[1] ?? 'none';
    const kept = await database().pool.query<{ row: string }>(
      'select row_to_json(mailed_tokens)::text as row from mailed_tokens',
    );
    expect(JSON.stringify(kept.rows)).not.toContain(Buffer.from(token).toString('hex'));
  });
});

describe('the link to a new password', () => {
  it('is the same as long as it lives, whoever asks for it, and lives for half an hour more', async () => {
    const { app, person, tokenTo, later } = await signUp();
    await sentNow();
    await app.forgotPassword(person.email, visitor);
    const first = await tokenTo();
    later(20 * MINUTE_MS);
    await app.forgotPassword(person.email, from('198.51.100.7'));
    expect(await tokenTo()).toBe(first);
    later(20 * MINUTE_MS);
    await expect(app.previewPasswordReset(first, visitor)).resolves.toBeDefined();
    later(10 * MINUTE_MS);
    expect(await codeOf(app.previewPasswordReset(first, visitor))).toBe('invalid_or_used_token');
    await app.forgotPassword(person.email, visitor);
    const second = await tokenTo();
    expect(second).not.toBe(first);
    await app.resetPassword(second, NEW_PASSWORD, visitor);
    await app.forgotPassword(person.email, visitor);
    expect(await tokenTo()).not.toBe(second);
  });

  it('gives way to another after two lives, however often it is asked for', async () => {
    const { app, person, tokenTo, later } = await signUp();
    await sentNow();
    const asked = async () => {
      await app.forgotPassword(person.email, visitor);
      return tokenTo();
    };
    const first = await asked();
    for (let n = 0; n < 2; n += 1) {
      later(25 * MINUTE_MS);
      expect(await asked()).toBe(first);
    }
    later(25 * MINUTE_MS);
    expect(await asked()).not.toBe(first);
    expect(await codeOf(app.previewPasswordReset(first, visitor))).toBe('invalid_or_used_token');
  });

  it('is another one after a link of the version before, of which no token is kept', async () => {
    const { app, person, tokenTo } = await signUp();
    await sentNow();
    await app.forgotPassword(person.email, visitor);
    const first = await tokenTo();
    await database().pool.query(
      `update mailed_tokens set token_hash = sha256('another')
        where email = $1 and purpose = 'reset_password'`,
      [person.email],
    );
    await app.forgotPassword(person.email, visitor);
    const second = await tokenTo();
    expect(second).not.toBe(first);
    await expect(app.previewPasswordReset(second, visitor)).resolves.toBeDefined();
  });

  it('is sent to its owner after ten asks a day of each of two strangers, and sets the password', async () => {
    const { app, person, tokenTo, login } = await verified(database(), mail());
    await sentNow();
    for (const stranger of ['198.51.100.7', '198.51.100.8']) {
      for (let n = 0; n < 10; n++) {
        await app.forgotPassword(person.email, from(stranger));
        await hourEnds();
      }
    }
    expect(await queued()).toBe(20);
    await tenMinutesPass();
    await app.forgotPassword(person.email, visitor);
    expect(await queued()).toBe(21);
    await app.resetPassword(await tokenTo(), NEW_PASSWORD, visitor);
    await expect(login(NEW_PASSWORD)).resolves.toBeDefined();
  });

  it('is sent twenty times in ten minutes from all networks, and still from a known browser', async () => {
    const { app, person, userId } = await verified(database(), mail());
    await sentNow();
    const ask = async (n: number, known: readonly string[] = []) =>
      app.forgotPassword(person.email, from(`198.51.100.${n}`), known);
    for (let n = 0; n < 30; n++) await ask(n);
    expect(await queued()).toBe(20);
    await sentNow();
    const other = await verified(database(), mail());
    await sentNow();
    await ask(40, [other.userId]);
    expect(await queued()).toBe(0);
    await ask(41, [other.userId, userId]);
    expect(await queued()).toBe(1);
  });

  it('is not refused to a known browser, of whose network others have asked too often', async () => {
    const { person, userId, ports } = await verified(database(), mail());
    const loginOfNetwork = { points: 1, windowS: 60 };
    const limits = { loginOfAccount: loginOfNetwork, loginOfNetwork, registration: loginOfNetwork };
    const ask = forgotPassword({
      ...ports,
      limits: postgresLimits({ pool: database().pool, limits: () => limits }),
    });
    const office = from('203.0.113.9');
    await ask('nobody@example.com', office);
    await sentNow();
    expect(await codeOf(ask(person.email, office))).toBe('too_many_attempts');
    await ask(person.email, office, [userId]);
    expect(await queued()).toBe(1);
  });

  it('is not sent at will to an address that was never verified, which may be a stranger’s', async () => {
    const { app, person, userId } = await signUp();
    await sentNow();
    for (let n = 0; n < 12; n++) await app.forgotPassword(person.email, elsewhere, [userId]);
    expect(await queued()).toBe(5);
  });
});

describe('mails that somebody asks for', () => {
  it('are five an hour to an address by one network, in whatever way', async () => {
    const other = await signUp();
    await other.send();
    const { app, person, userId } = await signUp();
    const change = { password: other.person.password, newEmail: person.email, visitor };
    for (let n = 0; n < 4; n++) {
      await app.resendVerification(userId, visitor);
      await app.forgotPassword(person.email, visitor);
      await other.app.changeEmail(await other.caller(), change);
    }
    expect(await queued()).toBe(5);
  });

  it('are five an hour to an address that is registered and deleted again and again', async () => {
    const { app, send } = await signUp();
    const person = newcomer();
    for (let n = 0; n < 12; n++) {
      const { id } = await app.register(person);
      await send();
      await app.deleteMe(
        { userId: id, sessionId: undefined },
        { password: person.password, visitor },
      );
    }
    expect(mail().server.mails(person.email)).toHaveLength(5);
  });

  it('are five an hour to a mailbox by one network, by whichever of its addresses', async () => {
    const { app } = await signUp();
    await sentNow();
    const tag = Date.now();
    const alias = (n: number) => ({
      ...newcomer(),
      email: `a${'.'.repeat(n % 2)}da${tag}+${n}@example.com`,
    });
    const registered = [];
    for (let n = 0; n < 40; n++) registered.push(await app.register(alias(n)));
    expect(new Set(registered.map(({ id }) => id)).size).toBe(40);
    for (const { email } of registered) await app.forgotPassword(email, visitor);
    expect(await queued()).toBe(5);

    await app.register({ ...alias(40), visitor: elsewhere });
    await app.register(newcomer());
    expect(await queued()).toBe(7);
  });

  it('go out first: a new password before all, and what tells of a change behind them', async () => {
    const { app, caller, person, login, ports, tokenTo } = await signUp();
    await app.verifyEmail(await tokenTo(person.email), visitor, { password: person.password });
    await login();
    const own = await caller();
    await sentNow();
    const passwords = { currentPassword: person.password, newPassword: NEW_PASSWORD };
    await app.changePassword(own, { ...passwords, visitor });
    for (let n = 0; n < 12; n++) await app.register(newcomer());
    await app.forgotPassword(person.email, visitor);
    const claimed = async () => (await ports.mailQueue.claim(ports.now())).map(({ kind }) => kind);
    expect(await claimed()).toEqual(['reset_password', ...Array(9).fill('verify_email')]);
    expect(await claimed()).toEqual([...Array(3).fill('verify_email'), 'password_changed']);
  });

  it('let those that tell of a change wait for an hour at most', async () => {
    const { app, caller, person, login, later, ports, tokenTo } = await signUp();
    await app.verifyEmail(await tokenTo(person.email), visitor, { password: person.password });
    await login();
    const own = await caller();
    await sentNow();
    const passwords = { currentPassword: person.password, newPassword: NEW_PASSWORD };
    await app.changePassword(own, { ...passwords, visitor });
    later(61 * MINUTE_MS);
    for (let n = 0; n < 12; n++) await app.register(newcomer());
    const [first] = await ports.mailQueue.claim(ports.now());
    expect(first?.kind).toBe('password_changed');
  });

  it('to change to an address are sent to its owner, however often a stranger has asked', async () => {
    const stranger = await signUp();
    const { app, person, caller } = await signUp();
    await sentNow();
    const newEmail = `new-${person.email}`;
    const theirs = { password: stranger.person.password, newEmail, visitor: elsewhere };
    const thief = await stranger.caller();
    for (let n = 0; n < 10; n++) {
      await stranger.app.changeEmail(thief, theirs);
      await hourEnds();
    }
    expect(await queued()).toBe(10);
    await app.changeEmail(await caller(), { password: person.password, newEmail, visitor });
    expect(await queued()).toBe(11);
  });

  it('are ten a day by a user, to however many addresses', async () => {
    const { app, person, caller } = await signUp();
    await sentNow();
    for (let n = 0; n < 12; n++) {
      const newEmail = `stranger-${n}-${person.email}`;
      await app.changeEmail(await caller(), { password: person.password, newEmail, visitor });
    }
    expect(await queued()).toBe(10);
  });

  it('are ten a day to an address by one network', async () => {
    const { app, person } = await signUp();
    for (let hour = 0; hour < 4; hour++) {
      for (let n = 0; n < 5; n++) await app.forgotPassword(person.email, visitor);
      await hourEnds();
    }
    expect(await queued()).toBe(10);
  });

  it('are no more when all are asked for at once, of several replicas', async () => {
    const { app, person } = await signUp();
    const replicas = [app, (await authOnPostgres(database())).app];
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => replicas[n % 2]?.forgotPassword(person.email, visitor)),
    );
    expect(await queued()).toBe(5);
  });

  it('count for nobody where they were not sent', async () => {
    const { app, userId } = await signUp();
    for (let n = 0; n < 12; n++) await app.resendVerification(userId, visitor);
    expect(await queued()).toBe(5);
    await hourEnds();
    for (let n = 0; n < 12; n++) await app.resendVerification(userId, visitor);
    expect(await queued()).toBe(10);
  });

  it('do not use up those that tell an owner what was done', async () => {
    const { app, caller, person, userId, login, subjects } = await signUp();
    await login();
    const own = await caller();
    for (let n = 0; n < 12; n++) await app.resendVerification(userId, visitor);
    const passwords = { currentPassword: person.password, newPassword: NEW_PASSWORD };
    await app.changePassword(own, { ...passwords, visitor });
    expect(await subjects()).toContain('Your password was changed');
  });
});
