import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Pool } from 'pg';
import { backoffMs } from '../backoff.js';
import { deferred } from '../deferred.js';
import type { Log } from '../log.js';

/** Notifications stay within one database, so one name serves every service. */
const CHANNEL = 'junction_outbox';

/** A notifying commit takes a lock on the whole instance; a burst of commits makes one call. */
const CALL_EVERY_MS = 10;

export type WakeReason = 'rows' | 'lanes';

export interface WakeCalls {
  /** Tells the other relays of this database: at once, then at most every 10 ms. */
  call(reason: WakeReason): void;
  close(): Promise<void>;
}

/**
 * NOTIFY between the relays of a database. Only ever a hint: a call that is lost costs the time to
 * the next poll. `onCall` is also called after each reconnection, for what was missed meanwhile.
 */
export function wakeCalls(
  pool: Pool,
  me: string,
  onCall: (reason: WakeReason) => void,
  log: Log,
): WakeCalls {
  const closing = new AbortController();
  const listening = listen(pool, closing.signal, log, (payload) => {
    const [reason, from] = payload.split(' ', 2);
    if (from !== me) onCall(reason === 'lanes' ? 'lanes' : 'rows');
  });

  let sent: Promise<unknown> = Promise.resolve();
  const send = (reason: WakeReason): void => {
    sent = pool
      .query('select pg_notify($1, $2)', [CHANNEL, `${reason} ${me}`])
      .catch((error: unknown) => log.debug({ err: error }, 'relay: the others were not called'));
  };
  const callRows = atMostEvery(CALL_EVERY_MS, () => send('rows'));

  return {
    call: (reason) => (reason === 'rows' ? callRows() : send(reason)),
    async close() {
      closing.abort();
      await Promise.all([listening, sent]);
    },
  };
}

async function listen(
  pool: Pool,
  closing: AbortSignal,
  log: Log,
  onPayload: (payload: string) => void,
): Promise<void> {
  for (let failures = 1; !closing.aborted; failures++) {
    // Not one of the pool's: a session that listens is never idle, and is nobody else's to use.
    const client = new Client(pool.options);
    const ended = deferred<unknown>();
    const close = (): void => ended.resolve(undefined);
    client.on('error', ended.resolve);
    client.on('end', close);
    client.on('notification', ({ payload }) => onPayload(payload ?? ''));
    closing.addEventListener('abort', close, { once: true });

    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      failures = 0;
      onPayload('lanes');
      await ended.promise;
    } catch (error) {
      log.debug({ err: error }, 'relay: cannot listen');
    }
    closing.removeEventListener('abort', close);
    await client.end().catch(() => undefined);
    if (closing.aborted) return;
    await sleep(backoffMs(failures + 1), undefined, { signal: closing }).catch(() => undefined);
  }
}

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
