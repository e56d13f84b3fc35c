import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import { publishAuthEvent } from '../src/adapters/kafka/publication.js';
import { knownWebhooks } from '../src/adapters/postgres/webhook/known-webhook-reads.js';
import type { WebhookNews, WebhookTrait } from '../src/application/webhook/ports.js';
import { accountOwner, useMail, visitor } from './account-owner.js';
import { codeOf } from './auth-on-postgres.js';
import { authSchema } from './schema.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SUBJECT = 'Webhooks were made or changed';
const NEW_PASSWORD = 'another horse battery';

const database = useDatabase(authSchema);
const mail = useMail();

describe('a webhook that is made or changed', () => {
  it('is mailed at once with a link, and what follows within an hour in one mail', async () => {
    const ada = await owner();
    const [first, second] = [id(), id()];
    await ada.hear(first, ['made']);
    expect(await ada.texts()).toEqual([
      expect.stringMatching(/^.*changed:\n\nA webhook for draft\.created was made on [^.]+\.\n/),
    ]);
    ada.later(MINUTE_MS);
    await ada.hear(second, ['made']);
    await ada.hear(second, ['url']);
    await ada.hear(first, ['secret', 'events'], { events: ['*'] });
    expect(await ada.texts()).toHaveLength(1);

    ada.later(HOUR_MS);
    const [text = ''] = await ada.texts();
    expect(await ada.texts()).toHaveLength(2);
    expect(text).toMatch(/A webhook for draft\.created was made on/);
    expect(text).toMatch(/every kind of event got other kinds of event and another secret on/);
    expect(text).toContain(`http://localhost:8080/webhooks/${first}`);
    expect(text).toContain('/undo-changes#token=jn_mt_');
  });

  it('is mailed again when the mail that waits may be under way, so that none stays untold', async () => {
    const ada = await owner();
    await ada.hear(id(), ['made']);
    ada.later(MINUTE_MS);
    await ada.hear(id(), ['made']);
    ada.later(HOUR_MS - MINUTE_MS - 30_000);
    const late = id();
    await ada.hear(late, ['made']);
    ada.later(MINUTE_MS);
    expect(await ada.texts()).toHaveLength(2);
    ada.later(HOUR_MS);
    expect(await ada.texts()).toHaveLength(3);
    expect((await ada.texts())[0]).toContain(late);
  });

  it('leaves one row in which nothing is mailed any more, however often it is changed', async () => {
    const ada = await owner();
    const webhookId = id();
    for (let mails = 0; mails < 5; mails += 1) {
      await ada.hear(webhookId, ['url']);
      ada.later(2 * HOUR_MS);
    }
    for (let more = 0; more < 5; more += 1) await ada.hear(webhookId, ['secret']);
    expect(await ada.texts()).toHaveLength(5);
    const rows = 'select from account_changes where user_id = $1 and mail_at is null';
    expect((await database().pool.query(rows, [ada.userId])).rowCount).toBe(0);
    await ada.undo(await ada.tokenOf(SUBJECT));
    expect((await ada.recoveries())[0]?.webhookIds).toEqual([webhookId]);
  });

  it('is not mailed for what nobody gains by, for what is long ago, nor to a stranger', async () => {
    const ada = await owner();
    await ada.hear(id(), []);
    await ada.hear(id(), ['made'], { agoMs: 73 * HOUR_MS });
    await ada.hear(id(), ['made'], { userId: randomUUID() });
    expect(await ada.texts()).toEqual([]);
  });

  it('is mailed without a link to an address that was never verified', async () => {
    const ada = await owner({ isVerified: false });
    await ada.hear(id(), ['made']);
    expect(await ada.texts()).toEqual([expect.stringContaining('choose "Forgot password"')]);
  });

  it('is disabled by the link with those that came after it, and no other', async () => {
    const ada = await owner();
    const [own, made, moved, more] = [id(), id(), id(), id()];
    for (const webhookId of [own, moved]) await ada.hear(webhookId, ['made']);
    ada.later(2 * HOUR_MS);
    await ada.addPasskey();
    await ada.hear(made, ['made']);
    await ada.hear(moved, ['url']);
    await ada.hear(more, ['made']);
    await ada.hear(more, [], { isDeleted: true });
    const token = await ada.tokenOf(SUBJECT);
    expect((await ada.app.previewUndo(token, visitor)).changes).toEqual(
      [1, 2, 3].map(() => ({ kind: 'webhooks_changed', changedAt: expect.any(Date) })),
    );
    await ada.undo(token);
    const [recovered] = await ada.recoveries();
    expect(recovered).toMatchObject({ reason: 'undo' });
    expect(recovered?.webhookIds).toEqual([made, moved, more].toSorted());
    expect(await codeOf(ada.app.previewUndo(token, visitor))).toBe('invalid_or_used_token');
    // The passkey was added before: it stays.
    expect(await ada.factors()).toMatchObject({ passkeys: 1 });
  });

  it('is disabled by the link of an earlier change of any kind, though its own mail waits', async () => {
    const ada = await owner();
    await ada.hear(id(), ['made']);
    await ada.texts();
    await ada.newKey();
    const theirs = id();
    await ada.hear(theirs, ['made']);
    await ada.undo(await ada.tokenOf('An API key was made'));
    expect((await ada.recoveries())[0]?.webhookIds).toEqual([theirs]);
    ada.later(2 * HOUR_MS);
    expect(await ada.texts()).toHaveLength(1);
  });

  it('is disabled by the link of an earlier change, though it was made before that', async () => {
    const ada = await owner();
    await ada.hear(id(), ['made']);
    const moved = id();
    await ada.hear(moved, ['made']);
    await ada.newKey();
    await ada.hear(moved, ['url']);
    await ada.undo(await ada.tokenOf('An API key was made'));
    expect((await ada.recoveries())[0]?.webhookIds).toEqual([moved]);
    ada.later(2 * HOUR_MS);
    expect((await ada.texts())[0]).toMatch(new RegExp(`was made on [^\\n]+\\n\\n.*/${moved}`));
  });
});

describe('a reset of the password', () => {
  it('shows the webhooks, as they are now, and has all of them disabled', async () => {
    const ada = await owner();
    const [kept, gone] = [id(), id()];
    await ada.hear(kept, ['made']);
    await ada.hear(gone, ['made']);
    await ada.hear(kept, ['events'], { events: ['meeting.*'], agoMs: -MINUTE_MS });
    await ada.hear(gone, [], { isDeleted: true });
    const token = await ada.resetToken();
    const { userId } = await ada.app.previewPasswordReset(token, visitor);
    const webhooks = await knownWebhooks.rows(database().pool, { user_id: userId });
    expect(webhooks).toMatchObject([{ id: kept, events: ['meeting.*'] }]);
    expect(webhooks[0]?.changed_at).not.toEqual(webhooks[0]?.created_at);
    await ada.app.resetPassword(token, NEW_PASSWORD, visitor);
    expect(await ada.recoveries()).toEqual([{ reason: 'reset', portalIds: [] }]);
    expect(await ada.published()).toMatchObject({ reason: 'reset', allWebhooks: true });
  });

  it('shows none that ended with an account that was closed', async () => {
    const ada = await owner();
    const { app, person, caller } = ada;
    const webhookId = id();
    await ada.hear(webhookId, ['made']);
    await app.deleteMe(await caller(), { password: person.password, visitor });
    await ada.hear(webhookId, [], { isDeleted: true });
    await ada.undo(await ada.tokenOf('Your account was deleted'));
    expect(await knownWebhooks.rows(database().pool, { user_id: ada.userId })).toEqual([]);
  });

  it('leaves them alone where their owner keeps them', async () => {
    const ada = await owner();
    await ada.hear(id(), ['made']);
    const kept = { keepWebhooks: true };
    await ada.app.resetPassword(await ada.resetToken(), NEW_PASSWORD, visitor, kept);
    expect(await ada.recoveries()).toEqual([]);
  });
});

const id = (): string => `wh_${randomUUID()}`;

interface Heard extends Partial<Pick<WebhookNews, 'events' | 'isDeleted' | 'userId'>> {
  readonly agoMs?: number;
}

/** An owner whose webhooks are heard of. */
async function owner(options?: { readonly isVerified: boolean }) {
  const they = await accountOwner(database(), mail(), options);
  const { app, ports, person, userId, store } = they;
  await they.mailsTo();
  const history = async () => (await store.load(`user-${userId}`)).history;
  return {
    ...they,
    hear: async (webhookId: string, traits: readonly WebhookTrait[], heard: Heard = {}) =>
      ports.unitOfWork.inTransaction(async (tx) => {
        const { agoMs = 0, events, isDeleted = false, ...whose } = heard;
        const at = new Date(ports.now().getTime() - agoMs);
        const kinds = events ?? (traits.includes('made') ? ['draft.created'] : undefined);
        const news = { webhookId, userId, at, isDeleted, events: kinds, traits, ...whose };
        await app.hearWebhooks(tx, [news]);
      }),
    /** Texts of the mails about webhooks, the newest first. */
    texts: async () =>
      (await they.mailsTo()).filter(({ subject }) => subject === SUBJECT).map(({ text }) => text),
    resetToken: async () => {
      await app.forgotPassword(person.email, visitor);
      return they.tokenOf('Reset your password');
    },
    recoveries: async () =>
      (await history()).flatMap(({ type, data }) => {
        if (type !== 'user.recovered') return [];
        const { userId: _, at: __, ...ended } = data;
        return [ended];
      }),
    /** The record of the last recovery. */
    published: async (): Promise<unknown> => {
      const event = (await history()).findLast(({ type }) => type === 'user.recovered');
      const stored = { streamId: `user-${userId}` } as Parameters<typeof publishAuthEvent>[1];
      const [record] = [event && publishAuthEvent(event, stored)].flat();
      return JSON.parse(String(record?.payload));
    },
  };
}
