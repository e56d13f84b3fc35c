import { repeat } from '@junction/async';
import type { Log } from '@junction/kafka';
import type { EventProducer, NewEvent } from './event-producer.js';
import type { OutboxClient } from './outbox.js';
import { InvalidEventError } from './prepare.js';

/** A `Pool` of `pg`; or anything with the same methods. */
export interface OutboxPool {
  connect(): Promise<PooledClient>;
}

interface PooledClient extends OutboxClient {
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
  release(destroy?: boolean): void;
}

export interface OutboxRelayOptions {
  /** Pool of which the relay uses one connection, with a role that may select, update and delete in the table. */
  readonly pool: OutboxPool;
  /** Producer that publishes the events; its source becomes theirs. The relay does not close the producer. */
  readonly producer: EventProducer;
  /** Log for refused events and failed rounds. `console` fits. */
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** Interval in milliseconds at which the relay looks by itself. Default 1,000. */
  readonly everyMs?: number;
}

export interface OutboxRelay {
  /** Looks at once: call it after a commit, so that the event need not wait. */
  wake(): void;
  /** Begins nothing more, and waits for the round under way. */
  close(): Promise<void>;
}

interface Row {
  readonly id: string;
  readonly event: NewEvent;
}

/** Events in a batch; 256 KiB each would make some 25 MB. */
const BATCH_MAX = 100;
const EVERY_MS = 1_000;
/** The first half of the advisory lock's key, so that it is no one else's: "junc" in ASCII. */
const LOCK_SPACE = 0x6a756e63;

/**
 * Publishes what commits to the outbox, at least once each, and deletes it. Those of one user go in the
 * order in which they were written. Any number of relays may run: one of them works at a time.
 */
export function startOutboxRelay(options: OutboxRelayOptions): OutboxRelay {
  const { log, everyMs = EVERY_MS } = options;
  const job = repeat(
    everyMs,
    () => round(options),
    (err) => log.error({ err }, 'outbox: a round failed; its events stay for the next one'),
  );
  job.wake();
  return { wake: () => job.wake(), close: () => job.stop() };
}

/** Publishes a batch. Returns 0 when the next round should follow at once. */
async function round({ pool, producer, log }: OutboxRelayOptions): Promise<number | undefined> {
  const client = await pool.connect();
  // The connection may be lost while nothing is asked of it, and an error nobody hears ends a process.
  const ignore = () => undefined;
  client.on('error', ignore);
  let isSound = false;
  try {
    // The lock is taken first: the snapshot of the next statement has what its last holder deleted.
    await client.query('begin isolation level read committed');
    const outcome = await publishBatch(client, producer, log);
    await client.query('commit');
    isSound = true;
    if (outcome.failure) throw outcome.failure.cause;
    return outcome.taken === BATCH_MAX ? 0 : undefined;
  } finally {
    client.off('error', ignore);
    client.release(!isSound);
  }
}

interface Outcome {
  readonly taken: number;
  readonly failure?: { readonly cause: unknown };
}

async function publishBatch(
  tx: OutboxClient,
  producer: EventProducer,
  log: OutboxRelayOptions['log'],
): Promise<Outcome> {
  if (!(await isOurTurn(tx))) return { taken: 0 };
  const rows = await oldest(tx);
  const published: string[] = [];
  const refused: { readonly id: string; readonly rule: string }[] = [];

  const publishInOrder = async (rowsOfUser: readonly Row[]): Promise<void> => {
    for (const { id, event } of rowsOfUser) {
      try {
        await producer.publish(event);
        published.push(id);
      } catch (error) {
        if (!(error instanceof InvalidEventError)) throw error;
        refused.push({ id, rule: `${error.code}: ${error.message}` });
        log.warn({ outboxId: id, code: error.code }, 'outbox: an event breaks a rule and stays');
      }
    }
  };
  const results = await Promise.allSettled(byUser(rows).map(publishInOrder));

  await tx.query('delete from junction_outbox where id = any($1::bigint[])', [published]);
  for (const { id, rule } of refused) {
    await tx.query('update junction_outbox set refused = $2 where id = $1::bigint', [id, rule]);
  }
  const failed = results.find((result) => result.status === 'rejected');
  return { taken: rows.length, ...(failed && { failure: { cause: failed.reason } }) };
}

async function isOurTurn(tx: OutboxClient): Promise<boolean> {
  const { rows } = await tx.query(
    "select pg_try_advisory_xact_lock($1::int, 'junction_outbox'::regclass::oid::int) as ours",
    [LOCK_SPACE],
  );
  return rows[0]?.['ours'] === true;
}

/**
 * A transaction that follows another one gets higher ids than it, and a snapshot that has the later has
 * the earlier. So the rows of a user that are seen are in order, whatever is still uncommitted.
 */
async function oldest(tx: OutboxClient): Promise<readonly Row[]> {
  const { rows } = await tx.query(
    `select id::text, event_id, type, user_id, data::text as data, time
     from junction_outbox where refused is null order by junction_outbox.id limit $1`,
    [BATCH_MAX],
  );
  return rows.map((row) => ({
    id: row['id'] as string,
    event: {
      id: row['event_id'],
      type: row['type'],
      userId: row['user_id'],
      data: Buffer.from(row['data'] as string),
      time: new Date(row['time'] as Date),
    } as NewEvent,
  }));
}

function byUser(rows: readonly Row[]): readonly (readonly Row[])[] {
  const users = new Map<string, Row[]>();
  for (const row of rows) {
    const rowsOfUser = users.get(row.event.userId);
    if (rowsOfUser) rowsOfUser.push(row);
    else users.set(row.event.userId, [row]);
  }
  return [...users.values()];
}
