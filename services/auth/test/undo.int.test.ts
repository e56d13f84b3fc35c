import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { keyRing, ringPlaces, rotateKeys } from '@junction/vault';
import { TOTP } from 'otpauth';
import { ringColumns } from '../src/adapters/postgres/ring-columns.js';
import { accountOwner, ORIGIN, useMail, visitor } from './account-owner.js';
import { authOnPostgres, codeOf, loggedIn, RING_TEXT } from './auth-on-postgres.js';
import { authSchema } from './schema.js';
import { softwareAuthenticator } from './software-authenticator.js';

const STEP_MS = 30_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NEW_PASSWORD = 'another horse battery';

const [database, rotated] = [useDatabase(authSchema), useDatabase(authSchema)];
const mail = useMail();

const owner = async (on = database()) => accountOwner(on, mail());

const NONE = { totp: false, passkeys: 0, codes: 0 };

describe('the link of the first mail about a stolen session', () => {
  it('takes back the passkey, the address and the key, ends every session, and sets a password', async () => {
    const { app, person, thief, userId, ...they } = await owner();
    await they.addPasskey();
    await they.moveTo(thief);
    const key = await they.newKey();
    const theirs = await they.tokenOf('An API key was made', thief);
    expect(theirs).not.toBe('');

    const token = await they.tokenOf('A second factor was added');
    const preview = await app.previewUndo(token, visitor);
    expect(preview.openUntil).toBeNull();
    expect(preview.changes).toEqual([
      { kind: 'factor_added', changedAt: expect.any(Date) },
      { kind: 'email_changed', changedAt: expect.any(Date) },
      { kind: 'api_key_created', changedAt: expect.any(Date) },
    ]);
    await they.undo(token);

    expect((await app.me(userId)).email).toBe(person.email);
    expect(await they.factors()).toEqual(NONE);
    expect(await app.holderOf(key)).toBeUndefined();
    expect(await app.listSessions(userId)).toEqual([]);
    expect(await codeOf(they.undo(theirs))).toBe('invalid_or_used_token');
    expect(await codeOf(loggedIn(app, person))).toBe('invalid_credentials');
    await expect(loggedIn(app, { ...person, password: NEW_PASSWORD })).resolves.toMatchObject({
      userId,
    });
    const [told] = await they.mailsTo();
    expect(told).toMatchObject({ subject: 'Changes of your account were taken back', links: [] });
    const toThief = (await they.mailsTo(thief)).map(({ subject }) => subject);
    expect(toThief).not.toContain('Changes of your account were taken back');
  });

  it('counts although its thief has taken back what came later', async () => {
    const { app, person, thief, userId, ...they } = await owner();
    await they.moveTo(thief);
    await they.newKey();
    await they.undo(await they.tokenOf('An API key was made', thief));
    await they.undo(await they.tokenOf('Your e-mail address was changed'));
    expect((await app.me(userId)).email).toBe(person.email);
  });

  it('takes back changes of the same kind that were too many to be told of', async () => {
    const { app, mailsTo, newKey, undo } = await owner();
    const keys: string[] = [];
    for (let n = 0; n < 7; n++) keys.push(await newKey());
    const mails = (await mailsTo()).filter(({ subject }) => subject === 'An API key was made');
    expect(mails).toHaveLength(5);
    const first = /#token=([\w-]+)/.exec(mails.at(-1)?.links[0] ?? '')?.[1] ?? '';
    expect((await app.previewUndo(first, visitor)).changes).toHaveLength(7);
    await undo(first);
    expect(await Promise.all(keys.map((key) => app.holderOf(key)))).toEqual(
      keys.map(() => undefined),
    );
    // The mails about what was taken back do not silence the next change.
    await newKey();
    const since = (await mailsTo()).filter(({ subject }) => subject === 'An API key was made');
    expect(since).toHaveLength(6);
  });

  it('is not hidden by many changes of other kinds', async () => {
    const { newKey, addPasskey, tokenOf } = await owner();
    for (let n = 0; n < 12; n++) await newKey();
    await addPasskey();
    expect(await tokenOf('A second factor was added')).not.toBe('');
  });
});

describe('a link that takes changes back', () => {
  it('counts once, also when it is used twice at the same moment', async () => {
    const { addPasskey, tokenOf, app } = await owner();
    await addPasskey();
    const token = await tokenOf('A second factor was added');
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map((n) => app.undoChanges(token, `${NEW_PASSWORD} ${n}`, visitor)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await codeOf(app.previewUndo(token, visitor))).toBe('invalid_or_used_token');
  });

  it('counts for 72 hours, and what was kept for it is deleted then', async () => {
    const { app, userId, addPasskey, tokenOf, factors, undo, later } = await owner();
    await addPasskey();
    const token = await tokenOf('A second factor was added');
    later(72 * HOUR_MS - MINUTE_MS);
    await app.deleteEndedChanges();
    expect((await app.previewUndo(token, visitor)).changes).toHaveLength(1);
    later(MINUTE_MS);
    expect(await codeOf(undo(token))).toBe('invalid_or_used_token');
    expect(await factors()).toMatchObject({ passkeys: 1 });
    await app.deleteEndedChanges();
    const kept = await database().pool.query('select from account_changes where user_id = $1', [
      userId,
    ]);
    expect(kept.rowCount).toBe(0);
  });

  it('leaves what was there before the change', async () => {
    const { app, addPasskey, newKey, tokenOf, factors, undo } = await owner();
    await addPasskey();
    const key = await newKey();
    await tokenOf('An API key was made');
    await addPasskey();
    await undo(await tokenOf('A second factor was added'));
    expect(await factors()).toEqual({ totp: false, passkeys: 1, codes: 10 });
    expect(await app.holderOf(key)).toBeDefined();
  });

  it('ends links that were mailed to reset the password, and logins that wait for a factor', async () => {
    const { app, person, addPasskey, tokenOf, undo } = await owner();
    await addPasskey();
    const pending = await app.login(person);
    await app.forgotPassword(person.email, visitor);
    const reset = await tokenOf('Reset your password');
    await undo(await tokenOf('A second factor was added'));
    expect(await codeOf(app.resetPassword(reset, 'a third horse battery', visitor))).toBe(
      'invalid_or_used_token',
    );
    const proof = { kind: 'recovery_code' as const, code: 'none' };
    const mfaToken = 'mfaToken' in pending ? pending.mfaToken : '';
    expect(await codeOf(app.finishSignIn({ mfaToken, proof, visitor }))).toBe(
      'invalid_second_factor',
    );
  });

  it('is not a link for anything else, nor the reverse', async () => {
    const { app, person, addPasskey, tokenOf, undo } = await owner();
    await addPasskey();
    const token = await tokenOf('A second factor was added');
    await app.forgotPassword(person.email, visitor);
    expect(await codeOf(undo(await tokenOf('Reset your password')))).toBe('invalid_or_used_token');
    expect(await codeOf(app.resetPassword(token, NEW_PASSWORD, visitor))).toBe(
      'invalid_or_used_token',
    );
    expect(await codeOf(app.verifyEmail(token, visitor))).toBe('invalid_or_used_token');
  });
});

describe('an authenticator that somebody removed', () => {
  it('comes back, also after the key ring was rotated, and no recovery code with it', async () => {
    const { app, caller, userId, person, addTotp, tokenOf, factors } = await owner(rotated());
    const { code } = await addTotp();
    await app.secondFactors.removeTotp(await caller());
    const token = await tokenOf('A second factor was removed');
    expect(await factors()).toEqual(NONE);

    const newKey = `k2:${Buffer.alloc(32, 8).toString('base64url')}`;
    const ring = keyRing(`${newKey},${RING_TEXT}`);
    const { pool } = rotated();
    for await (const _ of rotateKeys({ pool, ring, places: ringPlaces(ringColumns) }));
    const after = await authOnPostgres(rotated(), keyRing(newKey));
    await after.app.undoChanges(token, NEW_PASSWORD, visitor);

    expect(await factors()).toEqual({ totp: true, passkeys: 0, codes: 0 });
    const next = code();
    after.later(2 * STEP_MS);
    const pending = await after.app.login({ ...person, password: NEW_PASSWORD });
    const mfaToken = 'mfaToken' in pending ? pending.mfaToken : '';
    const proof = { kind: 'totp' as const, code: next };
    await expect(after.app.finishSignIn({ mfaToken, proof, visitor })).resolves.toMatchObject({
      userId,
    });
  });

  it('takes the place of the one that was set up since', async () => {
    const { app, ports, caller, userId, addTotp, tokenOf, undo } = await owner();
    const { secret } = await addTotp();
    await app.secondFactors.removeTotp(await caller());
    const token = await tokenOf('A second factor was removed');
    await addTotp();
    await undo(token);
    const kept = await ports.factors.totpSecret(userId);
    expect(kept && ports.totp.describe(kept, 'x').secret).toBe(secret);
    const history = (await ports.accounts.history(userId)).slice(-3);
    expect(history.map(({ type, data }) => ({ type, ...data }))).toMatchObject([
      { type: 'user.second_factor_removed', factor: 'totp', reason: 'undo' },
      { type: 'user.second_factor_added', factor: 'totp', reason: 'undo' },
      { type: 'user.password_changed', reason: 'undo' },
    ]);
  });

  it('lies nowhere in clear meanwhile', async () => {
    const { app, caller, userId, addTotp } = await owner();
    const { secret } = await addTotp();
    await app.secondFactors.removeTotp(await caller());
    const { rows } = await database().pool.query<{ row: string }>(
      'select row_to_json(account_changes)::text as row from account_changes where user_id = $1',
      [userId],
    );
    const kept = rows.map(({ row }) => row).join('\n');
    const { hex } = new TOTP({ secret }).secret;
    for (const clear of [
      secret,
      hex.toLowerCase(),
      Buffer.from(hex.toLowerCase()).toString('hex'),
    ]) {
      expect(kept).not.toContain(clear);
    }
  });
});

describe('passkeys that somebody removed', () => {
  it('come back with those that an operator removed, told by one mail', async () => {
    const { app, userId, addPasskey, addTotp, mailsTo, tokenOf, factors, undo } = await owner();
    await addPasskey();
    await addTotp();
    await app.removeFactors(userId);
    const subject = 'An operator removed your second factors';
    expect((await mailsTo()).filter((mail) => mail.subject === subject)).toHaveLength(1);
    await undo(await tokenOf(subject));
    expect(await factors()).toEqual({ totp: true, passkeys: 1, codes: 0 });
  });

  it('stay away where another account has registered their id since, and all else is taken back', async () => {
    const [mine, theirs] = [await owner(), await owner()];
    const device = softwareAuthenticator(ORIGIN);
    const { passkeyId } = await mine.addPasskey(device);
    const key = await mine.newKey();
    const token = await mine.tokenOf('An API key was made');
    await mine.app.secondFactors.removePasskey(await mine.caller(), passkeyId);
    await theirs.addPasskey(device);
    await mine.undo(token);
    expect(await mine.factors()).toEqual(NONE);
    expect(await theirs.factors()).toMatchObject({ passkeys: 1 });
    expect(await mine.app.holderOf(key)).toBeUndefined();
  });
});

describe('an address that an account has lost', () => {
  it('is nobody else’s while the change can be taken back', async () => {
    const { app, person, thief, moveTo, later } = await owner();
    await moveTo(thief);
    expect(await codeOf(app.register({ ...person, password: NEW_PASSWORD }))).toBe('email_taken');
    const other = await owner();
    const change = { password: other.person.password, newEmail: person.email, visitor };
    await other.app.changeEmail(await other.caller(), change);
    expect(await other.tokenOf('Confirm your new e-mail address', person.email)).toBe('');

    later(72 * HOUR_MS);
    await app.deleteEndedChanges();
    await expect(app.register({ ...person, password: NEW_PASSWORD })).resolves.toBeDefined();
  });

  it('is not taken back where its reader has moved another account there, and nothing else is', async () => {
    const { app, userId, thief, person, moveTo, newKey, tokenOf, undo } = await owner();
    await moveTo(thief);
    const key = await newKey();
    const token = await tokenOf('Your e-mail address was changed');
    const other = await owner();
    await database().pool.query('update users set email = $2 where user_id = $1', [
      other.userId,
      person.email,
    ]);
    expect(await codeOf(undo(token))).toBe('email_taken');
    expect((await app.me(userId)).email).toBe(thief);
    expect(await app.holderOf(key)).toBeDefined();
    expect((await app.previewUndo(token, visitor)).changes).toHaveLength(2);
  });

  it('may be that of the account again', async () => {
    const { app, userId, person, thief, moveTo } = await owner();
    await moveTo(thief);
    await moveTo(person.email);
    expect((await app.me(userId)).email).toBe(person.email);
  });
});
