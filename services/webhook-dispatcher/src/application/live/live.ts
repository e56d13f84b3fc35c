import type { LiveTail } from '../ports.js';
import type { Notifications } from '../sending/ports.js';
import type { LiveEntry, LiveTopic } from './ports.js';

export type Live = ReturnType<typeof live>;

const NEWS = 'live_tail';
const LISTENERS = 'live_listeners';
/** Entries that may wait; more wait only while the database does not answer, and then the oldest are dropped. */
const WAITING_MAX = 5_000;
const BATCH_MAX = 500;
const BATCH_BYTES_MAX = 4 * 1_024 * 1_024;

/** Opens the live tail of this replica, which writes what happens here, and wakes the readers on all replicas. */
export function live(rows: LiveTail, notifier: Notifications, onError: (error: unknown) => void) {
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
    ...rows,

    /** Has entries of this user written, by every replica within moments. */
    async listen(userId: string, topic: LiveTopic) {
      await rows.listen(userId, topic);
      notifier.notify(LISTENERS);
      await refresh();
    },

    /** Writes entries for listeners. `entries` is called only when one of these users has a listener. */
    tell(topic: LiveTopic, userIds: readonly string[], entries: () => readonly LiveEntry[]) {
      const heard = listening[topic];
      if (heard.size === 0 || !userIds.some((userId) => heard.has(userId))) return;
      const wanted = entries().filter(({ userId }) => heard.has(userId));
      waiting = [...waiting, ...wanted].slice(-WAITING_MAX);
      if (!isWriting) void write();
    },

    /** Calls back when there may be new entries. Returns a function that ends that. */
    onNews: (onCall: () => void) => notifier.listen(NEWS, onCall),
    /** Reads who listens. */
    refresh,
  };
}

/** Returns how many entries go into one statement. */
function batchOf(entries: readonly LiveEntry[]): number {
  let [count, bytes] = [0, 0];
  while (count < Math.min(BATCH_MAX, entries.length) && bytes < BATCH_BYTES_MAX) {
    bytes += entries[count]?.body?.length ?? 0;
    count++;
  }
  return count;
}

type Listeners = Awaited<ReturnType<LiveTail['listeners']>>;

/** Returns the listening users by topic. */
const byTopic = (found: Listeners): Readonly<Record<LiveTopic, ReadonlySet<string>>> => ({
  events: new Set(found.filter(({ events }) => events).map(({ userId }) => userId)),
  deliveries: new Set(found.map(({ userId }) => userId)),
});
