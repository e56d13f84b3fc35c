import { describe, expect, it } from '@jest/globals';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { useDatabase } from '@junction/testing';
import { recordErased } from '../src/adapters/postgres/deletion/deletion-receipts.js';
import { troubleTable } from '../src/adapters/postgres/trouble/troubles.js';
import { endClosedAccounts } from '../src/application/close-account.js';
import { hashOfSecret } from '../src/application/secret-hash.js';
import { startSession } from '../src/application/start-session.js';
import { undoChanges } from '../src/application/undo/undo-changes.js';
import { accountOwner, signedUp, useMail, visitor } from './account-owner.js';
import { codeOf, loggedIn, testRing } from './auth-on-postgres.js';
import { authSchema } from './schema.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NEW_PASSWORD = 'another horse battery';
const DELETED = 'Your account was deleted';

const database = useDatabase(authSchema);
const mail = useMail();

/** An owner, and what it takes to delete the account. */
async function owner() {
  const they = await accountOwner(database(), mail());
  const { app, person, caller } = they;
  const remove = async () => app.deleteMe(await caller(), { password: person.password, visitor });
  const again = { ...person, password: NEW_PASSWORD };
  return { ...they, again, remove };
}

describe('an account that its user deletes', () => {
  it('ends sessions, keys, sign-ins and links at once, and keeps the address', async () => {
    const { app, ports, person, userId, tokenTo, newKey, remove } = await owner();
    const key = await newKey();
    await app.forgotPassword(person.email, visitor);
    const reset = await tokenTo();
    const { openUntil, ended } = await remove();
    expect(ended).toEqual({ auth: { sessions: 1, api_keys: 1 } });
    expect(openUntil?.getTime()).toBeGreaterThan(ports.now().getTime() + 71 * HOUR_MS);

    expect(await app.listSessions(userId)).toEqual([]);
    expect(await app.holderOf(key)).toBeUndefined();
    expect(await codeOf(app.resetPassword(reset, NEW_PASSWORD, visitor))).toBe(
      'invalid_or_used_token',
    );
    expect(await codeOf(app.login(person))).toBe('invalid_credentials');
    expect(await codeOf(app.register({ ...person, password: NEW_PASSWORD }))).toBe('email_taken');
    for (const attempt of [
      async () => app.createApiKey(userId, { name: 'theirs' }),
      async () => app.chooseTroubleMails(userId, false),
      async () => app.deleteMe({ userId, sessionId: undefined }, { password: undefined, visitor }),
    ]) {
      expect(await codeOf(attempt())).toBe('unauthenticated');
    }
    expect(await codeOf(app.removeFactors(userId))).toBe('user_not_found');
  });

  it('opens no portal, is told of no troubles, and comes back without its portals', async () => {
    const { app, ports, userId, remove, tokenOf, undo, store } = await owner();
    const portal = { userId, clientId: 'cli_a', origin: 'https://a.example', appearance: {} };
    const token = (secret: string) => ({
      ...portal,
      tokenHash: hashOfSecret(secret),
      portalId: `ptl_${secret}`,
      expiresAt: new Date(Date.now() + HOUR_MS),
    });
    const news = { about: 'wh_1', userId, kind: 'webhook_gone' as const, at: new Date() };
    const hear = async () =>
      inTransaction(database().pool, async (tx) =>
        app.hearNews(troubleTable(tx, testRing()), [news]),
      );
    expect(await ports.portalTokens.keep(token('one'))).toBe(true);
    expect(await hear()).toBe(true);
    await remove();
    expect(await ports.portalTokens.keep(token('two'))).toBe(false);
    expect(await hear()).toBe(false);
    expect(await ports.troubles.of(userId)).toEqual([]);
    await undo(await tokenOf(DELETED));
    const { history } = await store.load(`user-${userId}`);
    expect(JSON.stringify(history)).toContain('"portalIds":["ptl_one"]');
  });

  it('is not entered by a passkey either', async () => {
    const { ports, addPasskey, userId, remove } = await owner();
    await addPasskey();
    await remove();
    const { passkeys } = await ports.factors.of(userId);
    expect(passkeys).toHaveLength(1);
    const proof = { provedAt: ports.now(), amr: ['hwk', 'mfa'] };
    expect(await codeOf(startSession(ports, { userId, proof }, HOUR_MS))).toBe(
      'invalid_credentials',
    );
  });

  it('comes back by the link of the mail, with its factors, and can be used again', async () => {
    const { app, userId, addPasskey, newKey, remove, tokenOf, undo, factors, ...they } =
      await owner();
    await addPasskey();
    const key = await newKey();
    const { receiptId } = await remove();
    const token = await tokenOf(DELETED);
    expect(await app.previewUndo(token, visitor)).toEqual({
      changes: [{ kind: 'account_deleted', changedAt: expect.any(Date) }],
      openUntil: expect.any(Date),
      mayEndAtOnce: true,
    });
    await undo(token);
    expect(await factors()).toMatchObject({ passkeys: 1, codes: 10 });
    expect(await app.holderOf(key)).toBeUndefined();
    expect(await codeOf(app.deletionReceipt(receiptId))).toBe('receipt_not_found');
    expect(await app.login(they.again)).toMatchObject({ mfaToken: expect.any(String) });
    expect((await app.me(userId)).email).toBe(they.person.email);
    they.later(80 * HOUR_MS);
    await app.endClosedAccounts();
    expect((await app.me(userId)).id).toBe(userId);
    expect((await they.mailsTo())[0]?.subject).toBe('Changes of your account were taken back');
  });

  it('comes back by a mail that is asked for as for a new password, where the first one was lost', async () => {
    const { app, again, person, userId, remove, mailsTo, undo } = await owner();
    await remove();
    const first = (await mailsTo())[0];
    await app.forgotPassword(person.email, visitor);
    const second = (await mailsTo())[0];
    expect(second).toMatchObject({ subject: DELETED });
    expect(second?.links).not.toEqual(first?.links);
    await undo(/#token=([\w-]+)/.exec(second?.links[0] ?? '')?.[1] ?? '');
    await expect(loggedIn(app, again)).resolves.toMatchObject({ userId });
  });

  it('ends after 72 hours, with its address, its key and its links', async () => {
    const { app, person, userId, remove, tokenOf, undo, later, store } = await owner();
    const { receiptId } = await remove();
    const token = await tokenOf(DELETED);
    await app.endClosedAccounts();
    expect(await receiptOf(app, receiptId)).toEqual({});
    later(72 * HOUR_MS);
    expect(await codeOf(undo(token))).toBe('invalid_or_used_token');
    await app.endClosedAccounts();
    expect(await receiptOf(app, receiptId)).toEqual({
      auth: { sessions: 1, api_keys: 0, passkeys: 0 },
    });
    expect((await app.deletionReceipt(receiptId)).openUntil).toBeNull();
    expect(await codeOf(app.me(userId))).toBe('unauthenticated');
    const { history } = await store.load(`user-${userId}`);
    expect(history.map(({ type }) => type).slice(-2)).toEqual(['user.closed', 'user.deleted']);
    expect(JSON.stringify(history)).not.toContain(person.email);
    await expect(app.register({ ...person, password: NEW_PASSWORD })).resolves.toBeDefined();
  });

  it('ends at once by the link of the mail', async () => {
    const { app, person, userId, remove, tokenOf } = await owner();
    const { receiptId } = await remove();
    const token = await tokenOf(DELETED);
    expect(await app.endAccount(token, visitor)).toMatchObject({ receiptId, openUntil: null });
    expect(await codeOf(app.me(userId))).toBe('unauthenticated');
    expect(await codeOf(app.endAccount(token, visitor))).toBe('invalid_or_used_token');
    await expect(app.register({ ...person, password: NEW_PASSWORD })).resolves.toBeDefined();
  });

  it('is not ended by the link of another mail, nor while nobody has deleted it', async () => {
    const { app, newKey, tokenOf } = await owner();
    await newKey();
    const token = await tokenOf('An API key was made');
    expect(await codeOf(app.endAccount(token, visitor))).toBe('invalid_or_used_token');
  });

  it('can be deleted again after it came back', async () => {
    const { app, again, userId, remove, tokenOf, undo, caller } = await owner();
    await remove();
    await undo(await tokenOf(DELETED));
    await loggedIn(app, again);
    const { receiptId } = await app.deleteMe(await caller(), { password: NEW_PASSWORD, visitor });
    await app.endAccount(await tokenOf(DELETED), visitor);
    await expect(app.deletionReceipt(receiptId)).resolves.toBeDefined();
    expect(await codeOf(app.me(userId))).toBe('unauthenticated');
  });
});

describe('a thief who has moved the address and deletes the account', () => {
  it('cannot keep the owner from bringing it back, whatever was done before', async () => {
    const { app, person, thief, userId, remove, later, ...they } = await owner();
    await they.moveTo(thief);
    await they.addPasskey();
    const earlier = await they.tokenOf('Your e-mail address was changed');
    later(71 * HOUR_MS);
    await remove();
    expect((await they.mailsTo(thief)).map(({ subject }) => subject)).toContain(DELETED);

    const theirs = await they.tokenOf(DELETED, thief);
    expect(await app.previewUndo(theirs, visitor)).toMatchObject({ mayEndAtOnce: false });
    expect(await codeOf(app.endAccount(theirs, visitor))).toBe('invalid_or_used_token');

    later(HOUR_MS);
    await app.deleteEndedChanges();
    await app.endClosedAccounts();
    expect(await codeOf(app.register({ ...person, password: NEW_PASSWORD }))).toBe('email_taken');
    // The link of before goes on counting, and so does the one that came with the mail about the deletion.
    await expect(app.previewUndo(earlier, visitor)).resolves.toMatchObject({ mayEndAtOnce: true });
    later(70 * HOUR_MS);
    const own = await they.tokenOf(DELETED);
    expect(own).not.toBe(earlier);
    await they.undo(own);
    expect((await app.me(userId)).email).toBe(person.email);
    expect(await they.factors()).toMatchObject({ passkeys: 0 });
    expect(await codeOf(they.undo(theirs))).toBe('invalid_or_used_token');
    await expect(loggedIn(app, they.again)).resolves.toMatchObject({ userId });
  });

  it('cannot keep the mail about that from the address of before, where it is asked for again', async () => {
    const { app, person, thief, userId, remove, ...they } = await owner();
    await they.moveTo(thief);
    await remove();
    const first = await they.tokenOf(DELETED);
    await app.forgotPassword(person.email, visitor);
    const second = await they.tokenOf(DELETED);
    expect(second).not.toBe(first);
    expect(await app.previewUndo(second, visitor)).toMatchObject({ mayEndAtOnce: true });
    await they.undo(second);
    expect((await app.me(userId)).email).toBe(person.email);
  });

  it('cannot end the links of before by bringing it back', async () => {
    const { app, person, thief, userId, remove, undo, later, ...they } = await owner();
    await they.moveTo(thief);
    later(71 * HOUR_MS);
    await remove();
    const own = await they.tokenOf(DELETED);
    await undo(await they.tokenOf(DELETED, thief));
    later(71 * HOUR_MS);
    await app.deleteEndedChanges();
    expect(await codeOf(app.register({ ...person, password: NEW_PASSWORD }))).toBe('email_taken');
    await undo(own);
    expect((await app.me(userId)).email).toBe(person.email);
  });

  it('is told of no link to a change that was not mailed, whose factors nobody has kept', async () => {
    const { thief, remove, moveTo, mailsTo } = await owner();
    await moveTo(`first-${thief}`);
    await moveTo(thief);
    await database().pool.query('update account_changes set state_sealed = null where email = $1', [
      `first-${thief}`,
    ]);
    await remove();
    const subjects = async (address?: string) =>
      (await mailsTo(address)).filter(({ subject }) => subject === DELETED).length;
    expect([await subjects(), await subjects(thief)]).toEqual([1, 1]);
    expect(await subjects(`first-${thief}`)).toBe(0);
  });

  it('cannot do so by bringing it back and deleting it again', async () => {
    const { app, person, thief, userId, caller, remove, undo, ...they } = await owner();
    await they.moveTo(thief);
    await remove();
    const own = await they.tokenOf(DELETED);
    await undo(await they.tokenOf(DELETED, thief));
    await loggedIn(app, { ...they.again, email: thief });
    await app.deleteMe(await caller(), { password: NEW_PASSWORD, visitor });
    await they.tokenOf(DELETED);
    await undo(own);
    expect((await app.me(userId)).email).toBe(person.email);
  });
});

describe('the link in the moment when the account ends', () => {
  it('brings it back whole, or is over: never half of both', async () => {
    for (let n = 0; n < 6; n++) {
      const { app, ports, person, userId, remove, tokenOf, later, store } = await owner();
      await remove();
      const token = await tokenOf(DELETED);
      later(72 * HOUR_MS - MINUTE_MS);
      // The clock of the replica that ends accounts is ahead of the clock of the one that takes the link.
      const ahead = { ...ports, now: () => new Date(ports.now().getTime() + 2 * MINUTE_MS) };
      let ended: Promise<void> | undefined;
      const hash = async (password: string) => {
        const passwordHash = await ports.passwords.hash(password);
        ended = endClosedAccounts(ahead)();
        return passwordHash;
      };
      const undo = undoChanges({ ...ports, passwords: { ...ports.passwords, hash } });
      const [back] = await Promise.allSettled([undo(token, NEW_PASSWORD, visitor)]);
      await ended;
      const { history } = await store.load(`user-${userId}`);
      if (back.status === 'fulfilled') {
        expect(history.map(({ type }) => type)).not.toContain('user.deleted');
        expect(await loggedIn(app, { ...person, password: NEW_PASSWORD })).toMatchObject({
          userId,
        });
      } else {
        expect(back.reason).toMatchObject({ code: 'invalid_or_used_token' });
        expect(history.map(({ type }) => type).slice(-2)).toEqual(['user.closed', 'user.deleted']);
        await expect(app.register(person)).resolves.toBeDefined();
      }
    }
  });
});

describe('an account that is deleted at once', () => {
  it('has an address that was never verified, and claims none', async () => {
    const { app, person, userId, caller, login } = await signedUp(database(), mail());
    await login();
    const { password } = person;
    expect(await app.deleteMe(await caller(), { password, visitor })).toMatchObject({
      openUntil: null,
    });
    expect(await codeOf(app.me(userId))).toBe('unauthenticated');
    await expect(app.register(person)).resolves.toBeDefined();
  });

  it('is an account that an operator deletes, one that waits for its end too', async () => {
    const [one, other] = [await owner(), await owner()];
    const { receiptId } = await other.remove();
    for (const { app, userId } of [one, other]) {
      expect(await app.deleteUser(userId)).toMatchObject({ openUntil: null });
      expect(await codeOf(app.me(userId))).toBe('unauthenticated');
    }
    expect(await receiptOf(other.app, receiptId)).toEqual({
      auth: { sessions: 1, api_keys: 0, passkeys: 0 },
    });
  });
});

describe('the receipt of an account that waits for its end', () => {
  it('says what has ended, and once it is over what was deleted, each thing once', async () => {
    const { app, userId, remove } = await owner();
    const { receiptId } = await remove();
    await reported(userId, { webhooks: 2 }, false);
    await reported(userId, { webhooks: 0 }, false);
    const waiting = await app.deletionReceipt(receiptId);
    expect([waiting.ended, waiting.services]).toEqual([
      { auth: { sessions: 1, api_keys: 0 }, 'webhook-dispatcher': { webhooks: 2 } },
      {},
    ]);
    await app.deleteUser(userId);
    for (let n = 0; n < 2; n++) await reported(userId, { webhooks: 1, others: 1 }, true);
    expect(await receiptOf(app, receiptId)).toEqual({
      auth: { sessions: 1, api_keys: 0, passkeys: 0 },
      'webhook-dispatcher': { webhooks: 3, others: 1 },
    });
  });
});

it('a deletion wants a session that is alive', async () => {
  const { app, person, caller, userId } = await owner();
  const own = await caller();
  await app.endAllSessions(own, true);
  expect(await codeOf(app.deleteMe(own, { password: person.password, visitor }))).toBe(
    'invalid_token',
  );
  expect((await app.me(userId)).id).toBe(userId);
});

const receiptOf = async (app: Awaited<ReturnType<typeof owner>>['app'], id: string) =>
  (await app.deletionReceipt(id)).services;

const reported = async (
  userId: string,
  counts: Readonly<Record<string, number>>,
  isFinal: boolean,
) =>
  inTransaction(database().pool, async (tx) =>
    recordErased(tx, { userId, service: 'webhook-dispatcher', counts, isFinal }),
  );
