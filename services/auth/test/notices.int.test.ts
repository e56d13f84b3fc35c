import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { accountOwner, useMail, visitor } from './account-owner.js';
import { authSchema } from './schema.js';

const database = useDatabase(authSchema);
const mail = useMail();

const owner = async (options = { isVerified: true }) => accountOwner(database(), mail(), options);

/** Subjects, one for each kind of change. */
const TOLD: readonly string[] = [
  'A second factor was added',
  'A second factor was removed',
  'New recovery codes were made',
  'A recovery code was used',
  'An API key was made',
  'An API key got a new secret',
  'An API key was revoked',
  'Your password was changed',
  'Your e-mail address was changed',
];

describe('a notice', () => {
  it('tells of every change, and when it was, with a link', async () => {
    const mails = await changed();
    for (const { subject, text, links } of mails.filter((mail) => TOLD.includes(mail.subject))) {
      expect([subject, links]).toEqual([
        subject,
        [expect.stringContaining('http://localhost:8080/undo-changes#token=jn_mt_')],
      ]);
      expect(text).toMatch(/ on \d+ \w+ \d{4} at \d\d:\d\d UTC\./);
    }
    expect(mails.map(({ subject }) => subject)).toEqual(expect.arrayContaining([...TOLD]));
  });

  it('has no link where the address was never verified, and is one of five an hour of all kinds', async () => {
    const { app, caller, addPasskey, newKey, mailsTo } = await owner({ isVerified: false });
    await addPasskey();
    for (let n = 0; n < 4; n++) await newKey();
    await app.secondFactors.newRecoveryCodes(await caller());
    const notices = (await mailsTo()).filter(({ subject }) => !subject.startsWith('Verify'));
    expect(notices).toHaveLength(5);
    expect(notices.flatMap(({ links }) => links)).toEqual([]);
    expect(notices[0]?.text).toContain('choose "Forgot password"');
  });

  it('is sent once by the end of an account, whatever ends with it', async () => {
    const { app, person, userId, newKey, addPasskey, mailsTo } = await owner();
    await newKey();
    await addPasskey();
    const before = (await mailsTo()).length;
    await app.deleteMe({ userId, sessionId: undefined }, { password: person.password, visitor });
    const mails = await mailsTo();
    expect(mails).toHaveLength(before + 1);
    expect(mails[0]?.subject).toBe('Your account was deleted');
  });

  it('that waits is not sent once its change was taken back', async () => {
    const { newKey, addPasskey, tokenOf, undo, mailsTo } = await owner();
    await newKey();
    const token = await tokenOf('An API key was made');
    await addPasskey();
    await undo(token);
    const subjects = (await mailsTo()).map(({ subject }) => subject);
    expect(subjects).not.toContain('A second factor was added');
  });
});

/** The mails to somebody who has changed everything once. */
async function changed() {
  const { app, person, thief, userId, ...they } = await owner();
  const { recoveryCodes: [code = ''] = [], passkeyId } = await they.addPasskey();
  const pending = await app.login(person);
  const mfaToken = 'mfaToken' in pending ? pending.mfaToken : '';
  await app.finishSignIn({ mfaToken, proof: { kind: 'recovery_code', code }, visitor });
  await app.secondFactors.newRecoveryCodes(await they.caller());
  await app.secondFactors.removePasskey(await they.caller(), passkeyId);
  const { keyId } = await app.createApiKey(userId, { name: 'laptop' });
  await app.rotateApiKey(userId, keyId, 0);
  await app.revokeApiKey(userId, keyId);
  const newPassword = person.password.toUpperCase();
  const change = { currentPassword: person.password, newPassword, visitor };
  await app.changePassword(await they.caller(), change);
  await app.changeEmail(await they.caller(), { password: newPassword, newEmail: thief, visitor });
  const token = await they.tokenOf('Confirm your new e-mail address', thief);
  await app.verifyEmail(token, visitor, { sessionUserId: userId });
  return they.mailsTo();
}
