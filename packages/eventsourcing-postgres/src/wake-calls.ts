import { randomUUID } from 'node:crypto';
import { backoffMs, pause } from '@junction/async';
import { Client, type Pool } from 'pg';

/** Notifications stay within one database, so one name serves every service. */
const CHANNEL = 'junction_wake';

/** How the sessions that listen are known in pg_stat_activity. */
const LISTENER = 'junction wake ';

/** A notifying commit takes a lock on the whole instance; a burst of commits makes one call. */
const CALL_EVERY_MS = 10;

/** Tells whoever waits for something in the database that it is there: here and in other processes. */
export interface WakeCalls {
  /** Wakes those who listen for this topic: in this process at once, in others within some 10 ms. */
  call(topic: string): void;

  /**
   * Calls back at each call for the topic, and after each reconnection, for what was missed meanwhile.
   * Gives what ends the listening.
   */
  listen(topic: string, onCall: () => void): () => void;

  close(): Promise<void>;
}

export interface WakeCallsOptions {
  /** Whose database it is. Listening takes a connection of its own, made with the same settings. */
  readonly pool: Pool;
  /** A call was not sent, or the listening session was lost; it is opened again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Calls within a process, and NOTIFY between those of a database, outside of any transaction that
 * wrote. Only ever a hint: a call may be lost, so whoever waits also looks by itself now and then.
 */
export function wakeCalls({ pool, onError }: WakeCallsOptions): WakeCalls {
  const me = randomUUID();
  const listeners = new Map<string, Set<() => void>>();
  const wake = (topics: Iterable<string>): void => {
    for (const topic of topics) for (const onCall of listeners.get(topic) ?? []) onCall();
  };

  const closing = new AbortController();
  const hearing = hear(pool, me, closing.signal, onError, {
    onConnected: () => wake(listeners.keys()),
    onPayload(payload) {
      const [from, ...topics] = payload.split(' ');
      if (from !== me) wake(topics);
    },
  });

  const unsent = new Set<string>();
  let sent: Promise<unknown> = Promise.resolve();
  const send = (): void => {
    if (unsent.size === 0) return;
    const payload = [me, ...unsent].join(' ');
    unsent.clear();
    sent = notifyOthers(pool, me, payload).catch(onError);
  };
  const sendSoon = atMostEvery(CALL_EVERY_MS, send);

  return {
    call(topic) {
      wake([topic]);
      unsent.add(topic);
      sendSoon();
    },
    listen(topic, onCall) {
      const ours = listeners.get(topic) ?? new Set();
      listeners.set(topic, ours.add(onCall));
      return () => void ours.delete(onCall);
    },
    async close() {
      closing.abort();
      send();
      await Promise.all([hearing, sent]);
    },
  };
}

// Where nobody else listens it notifies nobody, and so commits nothing.
const NOTIFY = `
select pg_notify($1, $2)
 where exists (select from pg_stat_activity
                where datname = current_database() and application_name <> $3
                  and starts_with(application_name, $4))`;

const notifyOthers = (pool: Pool, me: string, payload: string) =>
  pool.query({
    name: 'junction_notify',
    text: NOTIFY,
    values: [CHANNEL, payload, LISTENER + me, LISTENER],
  });

interface Hearing {
  onConnected(): void;
  onPayload(payload: string): void;
}

async function hear(
  pool: Pool,
  me: string,
  closing: AbortSignal,
  onError: (error: unknown) => void,
  { onConnected, onPayload }: Hearing,
): Promise<void> {
  for (let failures = 0; !closing.aborted; failures++) {
    // Not one of the pool's: a session that listens is never idle, and is nobody else's to use.
    const client = new Client({ ...pool.options, application_name: LISTENER + me });
    client.on('notification', ({ payload }) => onPayload(payload ?? ''));
    // What this session waits for goes with it: after an outage there have been many.
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

/** Until it is closed from here; rejects when it is lost. Listens to `closing` until it is over. */
const untilEnd = (client: Client, closing: AbortSignal, over: AbortSignal): Promise<void> => {
  const ended = new Promise<void>((resolve, reject) => {
    // Without a listener an 'error' would end the process.
    client.on('error', reject);
    client.on('end', () => reject(new Error('The session that listens for calls was ended.')));
    closing.addEventListener('abort', () => resolve(), { once: true, signal: over });
  });
  // It may be lost while it is still being opened, which is reported by what opens it.
  ended.catch(() => undefined);
  return ended;
};

/** The first call at once; those within the time after it become one, at its end. */
function atMostEvery(ms: number, action: () => void): () => void {
  let resting = false;
  let again = false;
  const run = (): void => {
    if (resting) {
      again = true;
      return;
    }
    resting = true;
    again = false;
    action();
    setTimeout(() => {
      resting = false;
      if (again) run();
    }, ms).unref();
  };
  return run;
}
