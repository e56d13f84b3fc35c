import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { decodeJwt } from 'jose';
import { addPasskey, ORIGIN, visitor } from './account-owner.js';
import { codeOf, loggedIn } from './auth-on-postgres.js';
import { signedIn, withPasskey } from './factors.js';
import { authSchema } from './schema.js';
import { softwareAuthenticator } from './software-authenticator.js';

const MINUTE_MS = 60_000;

const database = useDatabase(authSchema);

describe('a passkey', () => {
  it('signs in by itself, and as a second factor', async () => {
    const { app, ports, userId, pending, finish, assertion, added } = await withPasskey(database());
    expect(added.recoveryCodes).toHaveLength(10);
    const alone = await app.signInByPasskey({ assertion: await assertion(), visitor });
    expect(alone.userId).toBe(userId);
    expect(decodeJwt(alone.accessToken)['amr']).toEqual(['hwk', 'mfa']);
    const { mfaToken, methods } = await pending();
    expect(methods).toEqual(['passkey', 'recovery_code']);
    const proof = { kind: 'passkey' as const, assertion: await assertion(mfaToken) };
    await expect(finish(mfaToken, proof)).resolves.toMatchObject({ userId });
    const { passkeys } = await ports.factors.of(userId);
    expect(passkeys).toMatchObject([{ name: 'phone', lastUsedAt: expect.any(Date) }]);
  });

  it('does not sign the same challenge twice, nor one that is over', async () => {
    const { app, assertion, later } = await withPasskey(database());
    const signed = await assertion();
    await app.signInByPasskey({ assertion: signed, visitor });
    expect(await codeOf(app.signInByPasskey({ assertion: signed, visitor }))).toBe(
      'invalid_second_factor',
    );
    const late = await assertion();
    later(5 * MINUTE_MS);
    expect(await codeOf(app.signInByPasskey({ assertion: late, visitor }))).toBe(
      'invalid_second_factor',
    );
  });

  it('is refused when its counter goes back: somebody has copied it', async () => {
    const { app, ports, userId, added, assertion } = await withPasskey(database());
    await app.signInByPasskey({ assertion: await assertion(undefined, 5), visitor });
    const copied = await assertion(undefined, 4);
    expect(await codeOf(app.signInByPasskey({ assertion: copied, visitor }))).toBe(
      'invalid_second_factor',
    );
    expect((await ports.accounts.history(userId)).at(-1)).toMatchObject({
      type: 'user.passkey_suspected',
      data: { passkeyId: added.passkeyId },
    });
    expect((await ports.factors.of(userId)).passkeys).toMatchObject([{ counter: 5 }]);
  });

  it.each([
    ['another origin', { ...ORIGIN, origin: 'https://evil.example' }],
    ['another site', { ...ORIGIN, rpId: 'evil.example' }],
  ])('that was made for %s is not added', async (_, made) => {
    expect(await codeOf(withPasskey(database(), made))).toBe('invalid_passkey');
  });

  it('ends no login when it is somebody else’s, and adds nothing with their challenge', async () => {
    const [mine, theirs] = [await withPasskey(database()), await withPasskey(database())];
    const { mfaToken } = await mine.pending();
    const proof = { kind: 'passkey' as const, assertion: await theirs.assertion() };
    expect(await codeOf(mine.finish(mfaToken, proof))).toBe('invalid_second_factor');
    const { challengeId, options } = await theirs.app.secondFactors.offerPasskey(theirs.userId);
    const device = softwareAuthenticator(ORIGIN);
    const response = device.create(String(options['challenge']));
    expect(
      await codeOf(
        mine.app.secondFactors.addPasskey(
          { ...mine.caller, name: 'stolen', device: undefined },
          { challengeId, response },
        ),
      ),
    ).toBe('invalid_passkey');
  });

  it('with the id of another is not added', async () => {
    const mine = await withPasskey(database());
    const { app, ports, userId, caller } = await signedIn(database());
    expect(await codeOf(addPasskey(app, caller, mine.device))).toBe('invalid_passkey');
    expect(await ports.factors.of(userId)).toMatchObject({
      passkeys: [],
      recoveryCodesLeft: 0,
    });
  });

  it('may be asked for as often as a login waits, and costs a try when it is shown', async () => {
    const { userId, pending, finish, assertion } = await withPasskey(database());
    const { mfaToken } = await pending();
    for (let n = 0; n < 5; n++) await assertion(mfaToken);
    const proof = { kind: 'passkey' as const, assertion: await assertion(mfaToken) };
    await expect(finish(mfaToken, proof)).resolves.toMatchObject({ userId });
  });

  it('is in the export without its key, and counted in the receipt when the account ends', async () => {
    const { app, ports, person, userId } = await withPasskey(database());
    expect(await ports.factors.of(userId)).toMatchObject({
      passkeys: [{ name: 'phone' }],
      recoveryCodesLeft: 10,
    });
    const receipt = await app.deleteMe(
      { userId, sessionId: undefined },
      { password: person.password, visitor },
    );
    expect(receipt.services['auth']).toEqual({ sessions: 1, api_keys: 0, passkeys: 1 });
    const { rowCount } = await database().pool.query(
      `select user_id from passkeys where user_id = $1
       union all select user_id from recovery_codes where user_id = $1`,
      [userId],
    );
    expect(rowCount).toBe(0);
  });

  it('is removed by its owner alone, and not asked for afterwards', async () => {
    const [mine, theirs] = [await withPasskey(database()), await withPasskey(database())];
    const { passkeyId } = mine.added;
    expect(
      await codeOf(theirs.app.secondFactors.removePasskey(await theirs.current(), passkeyId)),
    ).toBe('passkey_not_found');
    const signed = await mine.assertion();
    await mine.app.secondFactors.removePasskey(await mine.current(), passkeyId);
    expect(await codeOf(mine.app.signInByPasskey({ assertion: signed, visitor }))).toBe(
      'invalid_second_factor',
    );
    await expect(loggedIn(mine.app, mine.person)).resolves.toMatchObject({ userId: mine.userId });
  });
});
