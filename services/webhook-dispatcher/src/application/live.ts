/** Something that a listener sees as it happens. */
export interface LiveEntry {
  readonly userId: string;
  /** wh_… */
  readonly webhookId: string;
  /** `delivery.attempted`, `operation.progressed` */
  readonly type: string;
  readonly data: object;
}

export interface LiveQuery {
  /** The number of the last entry that was seen. */
  readonly after: string;
  readonly webhookId?: string | undefined;
  readonly limit: number;
}

/** Where entries wait for those who listen. */
export interface LiveTailRows {
  /** From now on, and for some minutes, entries of this user are kept. */
  listen(userId: string): Promise<void>;
  listeners(): Promise<readonly string[]>;
  append(entries: readonly LiveEntry[]): Promise<void>;
  /** The number of the user's newest entry. */
  lastId(userId: string): Promise<string>;
  read(userId: string, query: LiveQuery): Promise<readonly (LiveEntry & { readonly id: string })[]>;
  purge(): Promise<void>;
}

/** Between replicas; a hint, as each also looks by itself. */
export interface LiveNotifier {
  notify(topic: string): void;
  /** Gives what ends the listening. */
  listen(topic: string, onCall: () => void): () => void;
}

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
  notifier: LiveNotifier,
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
