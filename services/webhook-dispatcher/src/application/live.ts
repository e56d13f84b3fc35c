import type { Notifications } from './dispatch/other-replicas.js';
import type { LiveEntry, LiveTailRows } from './ports.js';

export interface Live extends Pick<LiveTailRows, 'lastId' | 'read'> {
  /** Has entries of this user written, by every replica within moments. */
  listen(userId: string): Promise<void>;
  /** Tells those who listen; costs nothing for a user to whom nobody does. */
  tell(userIds: readonly string[], entries: () => readonly LiveEntry[]): void;
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

/** The live tail of this replica: it writes what happens here, and wakes whoever reads. */
export function live(
  rows: LiveTailRows,
  notifier: Notifications,
  onError: (error: unknown) => void,
): Live {
  let listening: ReadonlySet<string> = new Set();
  let waiting: LiveEntry[] = [];
  let isWriting = false;

  const refresh = async () => {
    listening = new Set(await rows.listeners());
  };
  notifier.listen(LISTENERS, () => void refresh().catch(onError));

  const write = async () => {
    isWriting = true;
    try {
      while (waiting.length > 0) {
        const batch = waiting.splice(0, BATCH_MAX);
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
    read: async (userId, query) => rows.read(userId, query),

    async listen(userId) {
      await rows.listen(userId);
      notifier.notify(LISTENERS);
      await refresh();
    },

    tell(userIds, entries) {
      if (!userIds.some((userId) => listening.has(userId))) return;
      const wanted = entries().filter(({ userId }) => listening.has(userId));
      waiting = [...waiting, ...wanted].slice(-WAITING_MAX);
      if (!isWriting) void write();
    },

    onNews: (onCall) => notifier.listen(NEWS, onCall),
    refresh,
    purge: async () => rows.purge(),
  };
}
