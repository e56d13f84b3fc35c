import type { Notifications } from './dispatch/other-replicas.js';
import type { LiveEntry, LiveTailRows, LiveTopic } from './ports.js';

export interface Live extends Pick<LiveTailRows, 'lastId' | 'hasReached' | 'read'> {
  /** Has entries of this user written, by every replica within moments. */
  listen(userId: string, topic: LiveTopic): Promise<void>;
  /** Tells those who listen; costs nothing for a user to whom nobody does. */
  tell(topic: LiveTopic, userIds: readonly string[], entries: () => readonly LiveEntry[]): void;
  /** Calls back when there may be something new. Gives what ends that. */
  onNews(onCall: () => void): () => void;
  /** Looks who listens. */
  refresh(): Promise<void>;
  purge(): Promise<void>;
}

const NEWS = 'live_tail';
const LISTENERS = 'live_listeners';
/** More than this waits only while the database does not answer: the oldest are dropped then. */
const WAITING_MAX = 5_000;
const BATCH_MAX = 500;
const BATCH_BYTES_MAX = 4 * 1_024 * 1_024;

/** The live tail of this replica: it writes what happens here, and wakes whoever reads. */
export function live(
  rows: LiveTailRows,
  notifier: Notifications,
  onError: (error: unknown) => void,
): Live {
  let listening = byTopic([]);
  let waiting: LiveEntry[] = [];
  let isWriting = false;

  const refresh = async () => {
    listening = byTopic(await rows.listeners());
  };
  notifier.listen(LISTENERS, () => void refresh().catch(onError));

  const write = async () => {
    isWriting = true;
    try {
      while (waiting.length > 0) {
        const batch = waiting.splice(0, batchOf(waiting));
        await rows.append(batch);
        notifier.notify(NEWS);
      }
    } catch (error) {
      onError(error);
    } finally {
      isWriting = false;
    }
  };

  return {
    lastId: async (userId) => rows.lastId(userId),
    hasReached: async (id) => rows.hasReached(id),
    read: async (userId, query) => rows.read(userId, query),

    async listen(userId, topic) {
      await rows.listen(userId, topic);
      notifier.notify(LISTENERS);
      await refresh();
    },

    tell(topic, userIds, entries) {
      const heard = listening[topic];
      if (heard.size === 0 || !userIds.some((userId) => heard.has(userId))) return;
      const wanted = entries().filter(({ userId }) => heard.has(userId));
      waiting = [...waiting, ...wanted].slice(-WAITING_MAX);
      if (!isWriting) void write();
    },

    onNews: (onCall) => notifier.listen(NEWS, onCall),
    refresh,
    purge: async () => rows.purge(),
  };
}

/** How many go into one statement. */
function batchOf(entries: readonly LiveEntry[]): number {
  let [count, bytes] = [0, 0];
  while (count < Math.min(BATCH_MAX, entries.length) && bytes < BATCH_BYTES_MAX) {
    bytes += entries[count]?.body?.length ?? 0;
    count++;
  }
  return count;
}

type Listeners = Awaited<ReturnType<LiveTailRows['listeners']>>;

/** Who listens to what. */
const byTopic = (found: Listeners): Readonly<Record<LiveTopic, ReadonlySet<string>>> => ({
  events: new Set(found.filter(({ events }) => events).map(({ userId }) => userId)),
  deliveries: new Set(found.map(({ userId }) => userId)),
});
