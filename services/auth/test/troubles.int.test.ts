import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '@junction/testing';
import type { OwnedNews } from '../src/application/trouble/ports.js';
import { queueTroubleMails } from '../src/application/trouble/queue-trouble-mails.js';
import type { News } from '../src/domain/trouble/trouble.js';
import { signedUp, useMail, verified } from './account-owner.js';
import { codeOf } from './auth-on-postgres.js';
import { authSchema } from './schema.js';

const HOUR_MS = 3_600_000;

const database = useDatabase(authSchema);
const mail = useMail();

describe('a trouble', () => {
  it('is mailed once, and each day until it is over, by however many replicas', async () => {
    const ada = await owner();
    const [webhook, connection] = [ada.about(), ada.about()];
    await ada.hear(webhook, 'webhook_disabled');
    await ada.hear(webhook, 'webhook_disabled');
    expect(await ada.mails()).toEqual(['A webhook was disabled']);

    ada.later(HOUR_MS);
    await ada.hear(connection, 'mailbox_lost');
    expect(await ada.mails()).toEqual(['2 things need you at Junction', 'A webhook was disabled']);

    ada.later(24 * HOUR_MS);
    await ada.hear(webhook, 'over');
    expect(await ada.mails()).toHaveLength(3);
    expect(mail().server.mails(ada.person.email)[0]?.subject).toBe(
      'A mailbox has to be connected again',
    );

    await ada.hear(connection, 'over');
    ada.later(24 * HOUR_MS);
    expect(await ada.mails()).toHaveLength(3);
    await database().pool.query(`update troubles set at = at - interval '8 days'`);
    await ada.app.purgeTroubles();
    expect((await database().pool.query('select from troubles')).rowCount).toBe(0);
  });

  it('is an operator who disables a webhook, until the end of that, which ends no other trouble', async () => {
    const ada = await owner();
    const webhook = ada.about();
    await ada.hear(webhook, 'webhook_failing');
    await ada.hear(webhook, 'over', { after: 'webhook_blocked' });
    ada.later(1);
    await ada.hear(webhook, 'webhook_blocked');
    expect(await ada.mails()).toEqual(['A webhook was disabled by an operator']);
    ada.later(24 * HOUR_MS);
    await ada.hear(webhook, 'over', { after: 'webhook_blocked' });
    expect(await ada.mails()).toHaveLength(1);
  });

  it('is not mailed when it ends while its mail waits, nor when its end was heard of first', async () => {
    const ada = await owner();
    const [webhook, other] = [ada.about(), ada.about()];
    await ada.hear(webhook, 'webhook_gone');
    await ada.queue();
    await ada.hear(webhook, 'over');
    await ada.hear(other, 'over', { aheadMs: HOUR_MS });
    await ada.hear(other, 'webhook_gone');
    expect(await ada.mails()).toEqual([]);
  });

  it('is named in its mails, also by later notices that name nothing, and sealed until then', async () => {
    const ada = await owner();
    const webhook = ada.about();
    await ada.hear(webhook, 'webhook_failing', { name: 'hooks.example.com' });
    ada.later(1); // A notice of the same millisecond says nothing new.
    await ada.hear(webhook, 'webhook_gone');
    await ada.mails();
    expect(mail().server.mails(ada.person.email)[0]?.text.replaceAll('\u200c', '')).toContain(
      'Your webhook at hooks.example.com was disabled on',
    );
    const { rows } = await database().pool.query<{ name: Buffer }>(
      'select name_sealed as name from troubles where about = $1',
      [webhook],
    );
    expect(rows[0]?.name.toString('latin1')).not.toContain('hooks');
  });

  it('is not mailed to an address that was never verified, nor to nobody', async () => {
    const ada = await owner({ isVerified: false });
    await ada.hear(ada.about(), 'webhook_gone');
    expect(await ada.mails()).toEqual([]);
    expect(await ada.hear(ada.about(), 'webhook_gone', { userId: randomUUID() })).toBe(false);
  });

  it('is not mailed to a user who has turned that off, by a mail or in the account', async () => {
    const ada = await owner();
    await ada.hear(ada.about(), 'webhook_gone');
    await ada.mails();
    const last = mail().server.mails(ada.person.email)[0]?.links.at(-1) ?? '';
    const [, token = ''] = /\/unsubscribe#token=([\w-]+)$/.exec(last) ?? [];
    expect(await codeOf(ada.app.unsubscribe(`${token}x`))).toBe('invalid_or_used_token');
    for (let n = 0; n < 2; n++) await ada.app.unsubscribe(token);
    expect(await ada.app.me(ada.userId)).toMatchObject({ trouble_mails: false });
    ada.later(24 * HOUR_MS);
    expect(await ada.mails()).toHaveLength(1);

    await ada.app.chooseTroubleMails(ada.userId, true);
    ada.later(24 * HOUR_MS);
    expect(await ada.mails()).toHaveLength(2);
    await ada.app.deleteUser(ada.userId);
    await ada.app.unsubscribe(token);
  });
});

interface Heard extends Pick<OwnedNews, 'after'> {
  readonly aheadMs?: number;
  readonly userId?: string;
  readonly name?: string;
}

/** A person with an account, and what is heard and mailed of their troubles. */
async function owner({ isVerified = true } = {}) {
  const signed = await (isVerified ? verified : signedUp)(database(), mail());
  const { app, ports, send, person } = signed;
  await send();
  const earlier = mail().server.mails(person.email).length;
  const queue = async () => {
    await Promise.all([queueTroubleMails(ports)(), queueTroubleMails(ports)()]);
  };
  return {
    ...signed,
    queue,
    about: () => `wh_${randomUUID()}`,
    hear: async (
      about: string,
      kind: News['kind'],
      { aheadMs = 0, userId = signed.userId, ...named }: Heard = {},
    ) =>
      ports.unitOfWork.inTransaction(async ({ troubles }) => {
        const at = new Date(ports.now().getTime() + aheadMs);
        return app.hearNews(troubles, [{ about, userId, kind, at, ...named }]);
      }),
    /** Subjects of the mails about troubles, the newest first. */
    mails: async () => {
      await queue();
      await send();
      const mails = mail().server.mails(person.email);
      return mails.slice(0, mails.length - earlier).map(({ subject }) => subject);
    },
  };
}
