import type { Dispatcher } from './dispatcher.js';
import type { Job } from './job.js';

/** What is due, and by which version of the index of webhooks it was read. */
export interface DueWork {
  readonly indexVersion: string;
  /** Some shard belongs to nobody just now. */
  readonly freeShards: boolean;
  readonly jobs: readonly Job[];
}

export interface DueQuery {
  readonly shards: readonly number[];
  readonly exceptWebhooks: readonly string[];
  readonly exceptDeliveries: readonly string[];
  readonly limit: number;
}

export interface DueReaderOptions {
  readonly read: (query: DueQuery) => Promise<DueWork>;
  /** Of these webhooks, the ones whose version is another by now, or that are gone. */
  readonly changed: (known: ReadonlyMap<string, number>) => Promise<readonly string[]>;
  readonly dispatcher: Dispatcher;
  readonly owned: () => readonly number[];
  readonly onFreeShards: () => void;
  readonly onError: (error: unknown) => void;
}

export interface DueReader {
  wake(): void;
  stop(): Promise<void>;
}

/** How late a retry may be, and how long another replica's change of a webhook may go unseen. */
const POLL_MS = 250;
const READ_MAX = 200;

/** Brings what is due from the table to the dispatcher, when it is due or there is room again. */
export function startDueReader(options: DueReaderOptions): DueReader {
  const state = { stopped: false, woken: false, wakeUp: () => {} };
  const running = readOn(options, state);

  return {
    wake() {
      state.woken = true;
      state.wakeUp();
    },
    async stop() {
      state.stopped = true;
      state.wakeUp();
      await running;
    },
  };
}

async function readOn(
  options: DueReaderOptions,
  state: { readonly stopped: boolean; woken: boolean; wakeUp: () => void },
): Promise<void> {
  let indexVersion: string | undefined;
  while (!state.stopped) {
    state.woken = false;
    let isFull = false;
    try {
      options.dispatcher.retryLoading();
      ({ indexVersion, isFull } = await readDue(options, indexVersion));
    } catch (error) {
      options.onError(error);
    }
    if (isFull || state.woken) continue;
    await new Promise<void>((resolve) => {
      state.wakeUp = resolve;
      setTimeout(resolve, POLL_MS);
    });
  }
}

async function readDue(
  { read, changed, dispatcher, owned, onFreeShards }: DueReaderOptions,
  knownIndexVersion: string | undefined,
) {
  const limit = Math.min(READ_MAX, dispatcher.room());
  const exceptWebhooks = dispatcher.blocked();
  const exceptDeliveries = dispatcher.beginRead();
  let due: readonly Job[] = [];
  try {
    const { jobs, indexVersion, freeShards } = await read({
      shards: owned(),
      exceptWebhooks,
      exceptDeliveries,
      limit,
    });
    if (freeShards) onFreeShards();
    // Before the jobs: they may have been matched with a webhook that is not as we know it.
    if (knownIndexVersion !== undefined && knownIndexVersion !== indexVersion) {
      for (const id of await changed(dispatcher.known())) dispatcher.webhookChanged(id);
    }
    if (jobs.length < limit) dispatcher.readEverything(exceptWebhooks);
    due = jobs;
    return { indexVersion, isFull: jobs.length > 0 && jobs.length === limit };
  } finally {
    dispatcher.acceptDue(due);
  }
}
