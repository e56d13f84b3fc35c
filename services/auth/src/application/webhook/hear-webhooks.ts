import type { LockedAccount } from '../account/ports.js';
import type { Ports } from '../ports.js';
import { admitNotice } from '../queue-mail.js';
import { UNDO_MS } from '../undo/ports.js';
import type { Tables } from '../unit-of-work.js';
import type { WebhookNews } from './ports.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type HearingTables = Pick<Tables, 'accounts' | 'accountChanges' | 'mails' | 'knownWebhooks'>;

interface Owner extends LockedAccount {
  readonly email: string;
}

/**
 * Keeps what is heard of webhooks, and queues the mails about those that were made or changed. Trusted issuers' users
 * have no address here, so nothing is kept of theirs. News that can be taken back no more are told nobody.
 */
export const hearWebhooks =
  ({ now }: Pick<Ports, 'now'>) =>
  async (tables: HearingTables, news: readonly WebhookNews[]): Promise<void> => {
    const owners = await lockOwners(tables, news);
    const since = now().getTime() - UNDO_MS;
    for (const one of news) {
      // An account that is closed has its webhooks deleted too.
      if (one.isDeleted) await tables.knownWebhooks.delete(one.webhookId);
      const owner = owners.get(one.userId);
      if (owner === undefined) continue;
      if (!one.isDeleted) await tables.knownWebhooks.save(one);
      const isTold = tables.mails.isOpen && one.traits.length > 0 && one.at.getTime() > since;
      if (isTold) await tell(tables, owner, one, now());
    }
  };

/** Locks the users in one order, so that two who hear of them never wait for each other. */
async function lockOwners(
  { accounts }: HearingTables,
  news: readonly WebhookNews[],
): Promise<ReadonlyMap<string, Owner>> {
  const owners = new Map<string, Owner>();
  for (const userId of [...new Set(news.map((one) => one.userId))].toSorted()) {
    const account = await accounts.lock(userId);
    if (account && account.email !== null) owners.set(userId, { ...account, email: account.email });
  }
  return owners;
}

/**
 * Keeps a change for the links that take it back. A mail tells of it, and of those that come until it is sent: at once,
 * or an hour after the last one, unless one waits already. To an address that was never verified it has no link. Beyond
 * the bounds of mails, the links of earlier changes take it back.
 */
async function tell(
  tables: HearingTables,
  owner: Owner,
  news: WebhookNews,
  now: Date,
): Promise<void> {
  const { accountChanges, mails } = tables;
  const { email: address, isVerified, userId } = owner;
  const kind = 'webhooks_changed';
  const { at, webhookId, traits } = news;
  const webhook = { webhookId, traits };
  const change = { userId, kind, at, email: address, keyId: undefined, webhook } as const;
  const lastMailMs = (await accountChanges.lastWebhookMailAt(userId))?.getTime() ?? 0;
  // A mail of the next minute may be under way, by the clock of another replica: it cannot tell of this any more.
  const isWaiting = lastMailMs > now.getTime() + MINUTE_MS;
  if (!isWaiting && (await admitNotice(tables, owner, { address, kind }))) {
    const mailAt = new Date(Math.max(now.getTime(), lastMailMs + HOUR_MS));
    const changeId = await accountChanges.add({ ...change, mailAt, isLinked: isVerified });
    await mails.add({ kind, address, userId, ...(isVerified && { changeId }) }, mailAt);
    return;
  }
  if (!(await accountChanges.addTraits(userId, { ...webhook, at }))) {
    await accountChanges.add({ ...change, isLinked: false });
  }
}
