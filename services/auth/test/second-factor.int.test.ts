import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { decodeJwt } from 'jose';
import { TOTP } from 'otpauth';
import { startSession } from '../src/application/start-session.js';
import { addPasskey, ORIGIN, visitor } from './account-owner.js';
import { codeOf, loggedIn } from './auth-on-postgres.js';
import { NO_FACTORS, recoveryOf, signedIn, totpOf, withTotp } from './factors.js';
import { authSchema } from './schema.js';
import { softwareAuthenticator } from './software-authenticator.js';

const MINUTE_MS = 60_000;

const database = useDatabase(authSchema);

describe('an authenticator', () => {
  it('is added with a code of it, ends every session, and begins one that has shown it', async () => {
    const { app, userId, caller, uri, added, person } = await withTotp(database());
    expect(uri).toContain(encodeURIComponent(person.email));
    expect(added.recoveryCodes).toHaveLength(10);
    const sessions = await app.listSessions(userId);
    expect(sessions).toHaveLength(1);
    expect(sessions[0]?.id).not.toBe(caller.sessionId);
    const claims = decodeJwt(added.tokens?.accessToken ?? '');
    expect(claims).toMatchObject({
      sid: sessions[0]?.id,
      amr: ['pwd', 'otp', 'mfa'],
      mfa_at: expect.any(Number),
    });
  });

  it('is asked for after the password, and each code counts once over all replicas', async () => {
    const { pending, finish, nextCode } = await withTotp(database());
    const { mfaToken, methods } = await pending();
    expect(methods).toEqual(['totp', 'recovery_code']);
    const code = nextCode();
    const tokens = await finish(mfaToken, totpOf(code));
    expect(decodeJwt(tokens.accessToken)['amr']).toEqual(['pwd', 'otp', 'mfa']);

    const again = await Promise.allSettled(
      [await pending(), await pending(), await pending()].map(({ mfaToken }) =>
        finish(mfaToken, totpOf(code)),
      ),
    );
    expect(again.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    const fresh = nextCode();
    const logins = await Promise.all([pending(), pending(), pending(), pending()]);
    const raced = await Promise.allSettled(
      logins.map(({ mfaToken }) => finish(mfaToken, totpOf(fresh))),
    );
    expect(raced.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('is not added without a code, with an old offer, or twice', async () => {
    const { app, userId, caller, later } = await signedIn(database());
    const { secret } = await app.secondFactors.offerTotp(userId);
    expect(await codeOf(app.secondFactors.confirmTotp(caller, '000000', undefined))).toBe(
      'invalid_code',
    );
    later(16 * MINUTE_MS);
    const late = new TOTP({ secret }).generate({ timestamp: Date.now() + 16 * MINUTE_MS });
    expect(await codeOf(app.secondFactors.confirmTotp(caller, late, undefined))).toBe(
      'invalid_code',
    );
    const other = await withTotp(database());
    expect(await codeOf(other.app.secondFactors.offerTotp(other.userId))).toBe('totp_exists');
  });

  it('is not asked for once it is removed, and its recovery codes are gone with it', async () => {
    const { app, ports, userId, current, person, added } = await withTotp(database());
    await app.secondFactors.removeTotp(await current());
    expect(await ports.factors.of(userId)).toEqual(NO_FACTORS);
    const tokens = await loggedIn(app, person);
    expect(decodeJwt(tokens.accessToken)).not.toHaveProperty('mfa_at');
    const { accessToken } = await app.refresh(added.tokens?.refreshToken ?? '');
    expect(decodeJwt(accessToken)).not.toHaveProperty('mfa_at');
    expect(await app.listSessions(userId)).toHaveLength(2);
  });
});

describe('a recovery code', () => {
  it('counts once, however it is typed, also when it is shown twenty times at once', async () => {
    const { ports, userId, pending, finish, added } = await withTotp(database());
    const [first = '', second = ''] = added.recoveryCodes ?? [];
    const typed = first.toUpperCase().replaceAll('-', ' ');
    const { mfaToken } = await pending();
    await finish(mfaToken, recoveryOf(typed));
    expect(await codeOf(finish((await pending()).mfaToken, recoveryOf(first)))).toBe(
      'invalid_second_factor',
    );
    const { mfaToken: shared } = await pending();
    const raced = await Promise.allSettled(
      Array.from({ length: 20 }, () => finish(shared, recoveryOf(second))),
    );
    expect(raced.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await ports.factors.of(userId)).recoveryCodesLeft).toBe(8);
    const used = (await ports.accounts.history(userId)).filter(
      ({ type }) => type === 'user.recovery_code_used',
    );
    expect(used).toHaveLength(2);
  });

  it('is another one after new ones were made', async () => {
    const { app, userId, current, pending, finish, added } = await withTotp(database());
    const codes = await app.secondFactors.newRecoveryCodes(await current());
    const { mfaToken } = await pending();
    expect(await codeOf(finish(mfaToken, recoveryOf(added.recoveryCodes?.[0])))).toBe(
      'invalid_second_factor',
    );
    await expect(finish(mfaToken, recoveryOf(codes[0]))).resolves.toMatchObject({ userId });
  });
});

describe('a login that waits for the second factor', () => {
  it('has five tries, five minutes and one end', async () => {
    const { pending, finish, nextCode, later } = await withTotp(database());
    const { mfaToken: tried } = await pending();
    for (let n = 0; n < 5; n++) {
      expect(await codeOf(finish(tried, totpOf('000000')))).toBe('invalid_second_factor');
    }
    expect(await codeOf(finish(tried, totpOf(nextCode())))).toBe('invalid_second_factor');
    const { mfaToken: late } = await pending();
    later(5 * MINUTE_MS);
    expect(await codeOf(finish(late, totpOf(nextCode())))).toBe('invalid_second_factor');
    const { mfaToken: used } = await pending();
    await finish(used, totpOf(nextCode()));
    expect(await codeOf(finish(used, totpOf(nextCode())))).toBe('invalid_second_factor');
  });

  it('is not ended by the factor of somebody else', async () => {
    const [mine, theirs] = [await withTotp(database()), await withTotp(database())];
    const { mfaToken } = await mine.pending();
    expect(await codeOf(mine.finish(mfaToken, totpOf(theirs.nextCode())))).toBe(
      'invalid_second_factor',
    );
    expect(await codeOf(mine.finish(mfaToken, recoveryOf(theirs.added.recoveryCodes?.[0])))).toBe(
      'invalid_second_factor',
    );
  });
});

describe('a first factor', () => {
  it('lets no login through that showed the password alone a moment before', async () => {
    const { app, ports, userId } = await withTotp(database());
    expect(await codeOf(startSession(ports, { userId }, MINUTE_MS))).toBe('invalid_credentials');
    expect(await app.listSessions(userId)).toHaveLength(1);
  });
});

describe('two first factors that are confirmed at the same moment', () => {
  it('give one set of recovery codes, of which each counts', async () => {
    const { app, ports, userId, caller, pending, finish } = await signedIn(database());
    const { secret } = await app.secondFactors.offerTotp(userId);
    const code = new TOTP({ secret }).generate({ timestamp: ports.now().getTime() });
    const { challengeId, options } = await app.secondFactors.offerPasskey(userId);
    const device = softwareAuthenticator(ORIGIN);
    const response = device.create(String(options['challenge']));
    const raced = await Promise.allSettled([
      app.secondFactors.confirmTotp(caller, code, undefined),
      app.secondFactors.addPasskey(
        { ...caller, name: 'phone', device: undefined },
        { challengeId, response },
      ),
    ]);
    const shown = raced.flatMap((one) =>
      one.status === 'fulfilled' ? (one.value.recoveryCodes ?? []) : [],
    );
    expect(shown).toHaveLength(10);
    expect(raced.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))).toEqual([
      expect.objectContaining({ code: 'invalid_token' }),
    ]);
    expect(await app.listSessions(userId)).toHaveLength(1);
    const { mfaToken } = await pending();
    await expect(finish(mfaToken, recoveryOf(shown[0]))).resolves.toMatchObject({ userId });
  });
});

describe('an operator', () => {
  it('removes every factor, which ends the sessions, so that the password signs in alone', async () => {
    const { app, ports, person, userId, current, pending, finish, added } = await withTotp(
      database(),
    );
    const caller = await current();
    const { passkeyId } = await addPasskey(app, caller);
    const { mfaToken } = await pending();

    expect(await app.removeFactors(userId)).toEqual({ factors: 2, sessions: 1 });

    expect(await ports.factors.of(userId)).toEqual(NO_FACTORS);
    expect(await app.listSessions(userId)).toEqual([]);
    const removed = (await ports.accounts.history(userId)).slice(-2);
    expect(removed.map(({ type, data }) => ({ type, ...data }))).toEqual([
      expect.objectContaining({ type: 'user.second_factor_removed', factor: 'totp' }),
      expect.objectContaining({ type: 'user.second_factor_removed', passkeyId }),
    ]);
    expect(await codeOf(finish(mfaToken, recoveryOf(added.recoveryCodes?.[0])))).toBe(
      'invalid_second_factor',
    );
    await expect(loggedIn(app, person)).resolves.toMatchObject({ userId });
    expect(await app.removeFactors(userId)).toEqual({ factors: 0, sessions: 1 });
  });
});

describe('a changed password', () => {
  it('ends logins that wait for the second factor', async () => {
    const { app, ports, person, userId, current, pending, finish, nextCode } = await withTotp(
      database(),
    );
    const { mfaToken } = await pending();
    const caller = await current();
    const newPassword = 'another long phrase';
    const passwords = { currentPassword: person.password, newPassword };
    await app.changePassword(caller, { ...passwords, visitor });
    expect(await codeOf(finish(mfaToken, totpOf(nextCode())))).toBe('invalid_second_factor');
    expect((await ports.factors.of(userId)).totpSince).toEqual(expect.any(Date));
  });
});

describe('a step-up', () => {
  it('shows the factor again in a session, which its later tokens say', async () => {
    const { app, ports, current, added, nextCode, later } = await withTotp(database());
    const caller = await current();
    later(20 * MINUTE_MS);
    const proof = totpOf(nextCode());
    const { accessToken } = await app.stepUp(caller, { proof, visitor });
    const nowS = ports.now().getTime() / 1_000;
    expect(Number(decodeJwt(accessToken)['mfa_at'])).toBeGreaterThan(nowS - 5);
    const refreshed = await app.refresh(added.tokens?.refreshToken ?? '');
    expect(decodeJwt(refreshed.accessToken)['mfa_at']).toBe(decodeJwt(accessToken)['mfa_at']);
    expect(await codeOf(app.stepUp(caller, { proof, visitor }))).toBe('invalid_second_factor');
  });
});

describe('the time of authentication', () => {
  const timeIn = (token: string) => Number(decodeJwt(token)['auth_time']);

  it('is that of the sign-in, whatever is refreshed, until the password is shown again', async () => {
    const { app, person, later } = await signedIn(database());
    const first = await loggedIn(app, person);
    later(20 * MINUTE_MS);
    const refreshed = await app.refresh(first.refreshToken);
    expect(timeIn(refreshed.accessToken)).toBe(timeIn(first.accessToken));

    const { userId } = first;
    const caller = { userId, sessionId: String(decodeJwt(first.accessToken)['sid']) };
    const { password } = person;
    const shown = await app.stepUp(caller, { proof: { kind: 'password', password }, visitor });
    expect(timeIn(shown.accessToken)).toBeGreaterThanOrEqual(timeIn(first.accessToken) + 20 * 60);
    expect(decodeJwt(shown.accessToken)).not.toHaveProperty('mfa_at');
    const after = await app.refresh(refreshed.refreshToken);
    expect(timeIn(after.accessToken)).toBe(timeIn(shown.accessToken));
  });
});
