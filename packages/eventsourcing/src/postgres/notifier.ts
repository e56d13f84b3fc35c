import { randomUUID } from 'node:crypto';
import { atMostEvery, backoffMs, pause } from '@junction/async';
import { Client, type Pool } from 'pg';

/** Notifications stay within one database, so one name serves every service. */
const CHANNEL = 'junction_notifications';

/** The listening sessions have this prefix in `application_name` of pg_stat_activity. */
const LISTENER = 'junction listener ';

/** A commit that notifies locks the whole instance, so a burst of notifications is sent as one. */
const NOTIFY_EVERY_MS = 10;

/** Notifies this process and others that work on the same database. */
export interface Notifier {
  /** Notifies the listeners of a topic: in this process at once, in others within some 10 ms. */
  notify(topic: string): void;

  /**
   * Calls `onNotified` at each notification of the topic, and after each reconnection, because notifications may have
   * been missed meanwhile. The returned function ends the listening.
   */
  listen(topic: string, onNotified: () => void): () => void;

  close(): Promise<void>;
}

export interface PostgresNotifierOptions {
  /** Pool whose settings the listening connection uses. That connection is not one of the pool's. */
  readonly pool: Pool;
  /** Called when a notification was not sent, or when the listening session was lost, which is then opened again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Notifies within a process by callbacks, and between the processes of a database by NOTIFY, outside of the
 * transactions that wrote. A notification is a hint and may be lost, so a listener also polls now and then.
 */
export function postgresNotifier({ pool, onError }: PostgresNotifierOptions): Notifier {
  const sender = randomUUID();
  const listeners = new Map<string, Set<() => void>>();
  const wake = (topics: Iterable<string>): void => {
    for (const topic of topics) for (const onNotified of listeners.get(topic) ?? []) onNotified();
  };

  const closing = new AbortController();
  const listening = listenUntilClosed(pool, sender, closing.signal, onError, {
    onConnected: () => wake(listeners.keys()),
    onPayload(payload) {
      const [from, ...topics] = payload.split(' ');
      if (from !== sender) wake(topics);
    },
  });

  const unsent = new Set<string>();
  let sent: Promise<unknown> = Promise.resolve();
  const send = (): void => {
    if (unsent.size === 0) return;
    const payload = [sender, ...unsent].join(' ');
    unsent.clear();
    sent = notifyOthers(pool, sender, payload).catch(onError);
  };
  const sendSoon = atMostEvery(NOTIFY_EVERY_MS, send);

  return {
    notify(topic) {
      wake([topic]);
      unsent.add(topic);
      sendSoon();
    },
    listen(topic, onNotified) {
      const ours = listeners.get(topic) ?? new Set();
      listeners.set(topic, ours.add(onNotified));
      return () => void ours.delete(onNotified);
    },
    async close() {
      closing.abort();
      send();
      await Promise.all([listening, sent]);
    },
  };
}

// Without other listeners nothing is notified, so the statement commits nothing.
const NOTIFY = `
select pg_notify($1, $2)
 where exists (select from pg_stat_activity
                where datname = current_database() and application_name <> $3
                  and starts_with(application_name, $4))`;

const notifyOthers = (pool: Pool, sender: string, payload: string) =>
  pool.query({
    name: 'junction_notify',
    text: NOTIFY,
    values: [CHANNEL, payload, LISTENER + sender, LISTENER],
  });

interface Handlers {
  onConnected(): void;
  onPayload(payload: string): void;
}

async function listenUntilClosed(
  pool: Pool,
  sender: string,
  closing: AbortSignal,
  onError: (error: unknown) => void,
  { onConnected, onPayload }: Handlers,
): Promise<void> {
  for (let failures = 0; !closing.aborted; failures++) {
    // A separate connection, because a listening one can never go back to the pool. The password is copied by name,
    // because a pool hides it from enumeration.
    const { options } = pool;
    const { password } = options;
    const client = new Client({ ...options, password, application_name: LISTENER + sender });
    client.on('notification', ({ payload }) => onPayload(payload ?? ''));
    // Removes the listener on `closing`: otherwise each outage would leave one more there.
    const over = new AbortController();
    const ended = untilEnd(client, closing, over.signal);

    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      failures = 0;
      onConnected();
      await ended;
    } catch (error) {
      onError(error);
    }
    over.abort();
    await client.end().catch(() => undefined);
    if (closing.aborted) return;
    await pause(backoffMs(failures + 1), closing);
  }
}

/** Resolves when `closing` is aborted, rejects when the session is lost. */
const untilEnd = (client: Client, closing: AbortSignal, over: AbortSignal): Promise<void> => {
  const ended = new Promise<void>((resolve, reject) => {
    // Without a listener an 'error' would end the process.
    client.on('error', reject);
    client.on('end', () =>
      reject(new Error('The session that listens for notifications was ended.')),
    );
    closing.addEventListener('abort', () => resolve(), { once: true, signal: over });
  });
  // A loss while connecting is reported by connect().
  ended.catch(() => undefined);
  return ended;
};
