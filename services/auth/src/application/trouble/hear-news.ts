import { afterNews } from '../../domain/trouble/trouble.js';
import type { Ports } from '../ports.js';
import type { Tables } from '../unit-of-work.js';
import type { OwnedNews, OwnedTrouble } from './ports.js';

/** No notice is older when it comes: its topic keeps records for three days. */
const KEPT_MS = 7 * 24 * 3_600_000;

/**
 * Keeps what notices say of webhooks and connections, whatever their order. Trusted issuers' users have no address
 * here, so nothing is kept of theirs. Returns whether a mail may be due.
 */
export const hearNews =
  ({ now }: Pick<Ports, 'now'>) =>
  async (table: Tables['troubles'], news: readonly OwnedNews[]): Promise<boolean> => {
    const keptSince = cutoff(now());
    const recent = news.filter(({ at }) => at > keptSince);
    if (recent.length === 0) return false;
    // Two replicas may hear of a webhook at the same time, from two topics: the lock has one wait for the other.
    const users = await table.lockUsers([...new Set(recent.map(({ userId }) => userId))]);
    const before = new Map((await table.ofUsers(users)).map((known) => [known.about, known]));
    const after = new Map<string, OwnedTrouble>();
    for (const { about, userId, name, after: only, ...one } of recent) {
      if (!users.includes(userId)) continue;
      const known = after.get(about) ?? before.get(about);
      if (only !== undefined && known?.kind !== only) continue;
      after.set(about, { ...afterNews(known, one), about, userId, name: name ?? known?.name });
    }
    await table.save([...after.values()]);
    return after.size > 0;
  };

/** Deletes what ended so long ago that no older notice comes any more. */
export const purgeTroubles =
  ({ troubles, now }: Pick<Ports, 'troubles' | 'now'>) =>
  async (): Promise<void> =>
    troubles.purge(cutoff(now()));

const cutoff = (now: Date): Date => new Date(now.getTime() - KEPT_MS);
