import { backoffMs, batcher } from '@junction/async';
import type { Held } from '@junction/eventsourcing/leases';
import { type Log, type OutRecord, type ProducerPort, topicName } from '@junction/kafka';
import { batchSpan } from '@junction/telemetry';
import type pg from 'pg';
import { messagingSpan } from '../messaging-span.js';
import {
  deleteSent,
  LANES,
  mayHaveMore,
  type OutboxRow,
  ROWS_MAX,
  readOutbox,
} from './outbox-rows.js';

interface Lane {
  readonly lease: Held<number>;
  sending: Promise<void> | undefined;
  /** True when the lane was woken while it was sending: there may be rows that no read has seen. */
  again: boolean;
  /** True when the lane is to be given up: the batch in flight is finished, and no further one is sent. */
  leaving: boolean;
  /** Maximum rows of the next batch: 1 after failures, so that a row that cannot be sent stands alone. */
  batchMax: number;
  failures: number;
  pausedUntilMs: number;
}

interface PumpOptions {
  readonly pool: pg.Pool;
  readonly producer: ProducerPort;
  readonly topicPrefix: string;
  readonly me: string;
  readonly log: Log;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

/** A batch of one lane. */
interface LaneBatch {
  readonly lane: Lane;
  readonly rows: readonly OutboxRow[];
}

/**
 * Sends the rows of the lanes it holds: one batch in flight for each lane, lanes side by side. Small batches
 * that are found together share a request to Kafka and a statement.
 */
export class LanePump {
  readonly #lanes = new Map<number, Lane>();
  readonly #sendTogether = batcher<LaneBatch, boolean>({
    concurrency: LANES,
    sizeMax: ROWS_MAX,
    sizeOf: ({ rows }) => rows.length,
    // A lane that failed stands alone, so that it holds up none but itself.
    kindOf: ({ lane: { failures, lease } }) => (failures > 0 ? `${lease.key}` : ''),
    process: async (batches) => this.#sent(batches),
  });
  readonly #options: PumpOptions;
  #validUntilMs = Number.NEGATIVE_INFINITY;
  #isReading = false;
  #reading: Promise<void> | undefined;
  #again = false;
  #readFailures = 0;
  #stopped = false;

  /** Called with the number of rows that Kafka has taken. */
  onSent: (rows: number) => void = () => undefined;

  constructor(options: PumpOptions) {
    this.#options = options;
  }

  /** Applies the state of the lease table: the lanes held until `validUntilMs`, and those of them to be given up. */
  hold(held: readonly Held<number>[], surplus: readonly number[], validUntilMs: number): void {
    this.#validUntilMs = validUntilMs;
    const epochs = new Map(held.map(({ key, epoch }) => [key, epoch]));
    for (const [number, { lease }] of this.#lanes) {
      if (epochs.get(number) !== lease.epoch) this.#lanes.delete(number);
    }
    for (const lease of held) {
      if (!this.#lanes.has(lease.key)) this.#lanes.set(lease.key, newLane(lease));
    }
    for (const [number, lane] of this.#lanes) lane.leaving = surplus.includes(number);
  }

  /** Gives a lane up. Returns false while a batch of the lane is in flight. */
  release(number: number): boolean {
    if (this.#lanes.get(number)?.sending) return false;
    this.#lanes.delete(number);
    return true;
  }

  /** Sends the rows that are there. Cheap: calls that come during a read become one more read. */
  run(): void {
    if (this.#stopped) return;
    this.#markSending();
    if (this.#isReading) this.#again = true;
    else this.#reading = this.#read();
  }

  /** Returns the lanes that this relay holds. */
  lanes(): readonly number[] {
    return [...this.#lanes.keys()];
  }

  healthy(): boolean {
    const failing = [...this.#lanes.values()].some(({ failures }) => failures > 0);
    return this.#isValid() && this.#readFailures === 0 && !failing;
  }

  /** Resolves when nothing is in flight any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#reading;
    await Promise.all([...this.#lanes.values()].map(async ({ sending }) => sending));
  }

  /**
   * Returns whether the leases still count: a lease that ran out may be another relay's by now, whatever the last
   * answer said.
   */
  #isValid(): boolean {
    return !this.#stopped && this.#options.clock() < this.#validUntilMs;
  }

  #isIdle({ sending, leaving, pausedUntilMs }: Lane): boolean {
    return !sending && !leaving && this.#options.clock() >= pausedUntilMs;
  }

  /** Marks lanes that are sending: rows committed meanwhile are read when such a lane is done. */
  #markSending(): void {
    for (const lane of this.#lanes.values()) if (lane.sending) lane.again = true;
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      do {
        this.#again = false;
        const idle = [...this.#lanes.values()].filter((lane) => this.#isIdle(lane));
        if (idle.length === 0 || !this.#isValid()) return;
        const numbers = idle.map(({ lease }) => lease.key);
        const rows = await readOutbox(this.#options.pool, numbers);
        this.#readFailures = 0;
        for (const number of numbers) {
          const batch = rows.filter(({ lane }) => lane === number);
          if (batch.length > 0) this.#start(number, batch);
        }
        // The wake came before these lanes were sending, and maybe after they were read.
        if (this.#again) this.#markSending();
      } while (this.#again);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'relay: the outbox cannot be read');
      this.#runIn(backoffMs(++this.#readFailures));
    } finally {
      // The flag is reset in the same turn as the last look at #again, so that no wake falls in between.
      this.#isReading = false;
    }
  }

  #start(number: number, found: readonly OutboxRow[]): void {
    const lane = this.#lanes.get(number);
    if (!lane || !this.#isIdle(lane) || !this.#isValid()) return;
    const rows = found.slice(0, lane.batchMax);
    lane.again = rows.length < found.length || mayHaveMore(found);
    lane.sending = this.#send(lane, rows).finally(() => {
      lane.sending = undefined;
      if (lane.again) this.run();
    });
  }

  async #send(lane: Lane, rows: readonly OutboxRow[]): Promise<void> {
    const { log, clock } = this.#options;
    const { key: number } = lane.lease;
    try {
      const isOurs = await this.#sendTogether({ lane, rows });
      lane.failures = 0;
      lane.batchMax = Math.min(ROWS_MAX, lane.batchMax * 2);
      if (!isOurs && this.#lanes.get(number) === lane) this.#lanes.delete(number);
    } catch (error) {
      // The first failure may be that of another lane in the same request.
      if (lane.failures > 0) lane.batchMax = 1;
      const pauseMs = backoffMs(++lane.failures);
      lane.pausedUntilMs = clock() + pauseMs;
      log.warn({ err: error, lane: number, rows: rows.length }, 'relay: rows not sent yet');
      this.#runIn(pauseMs);
    }
  }

  /** Sends batches, and returns whether each of the lanes was still ours afterwards. */
  async #sent(batches: readonly LaneBatch[]): Promise<readonly boolean[]> {
    const { producer, pool, me } = this.#options;
    const rows = batches.flatMap((batch) => batch.rows);
    const leases = batches.map(({ lane }) => lane.lease);
    const span = messagingSpan('send', rows[0]?.topic ?? '', rows.length);
    const traceparents = rows.map(({ headers }) => headers['traceparent']);
    return batchSpan(span, traceparents, async () => {
      await producer.sendBatch(rows.map((row) => this.#record(row)));
      this.onSent(rows.length);
      const ids = rows.map(({ id }) => id);
      const held = await deleteSent(pool, me, leases, ids);
      return leases.map(({ key }) => held.has(key));
    });
  }

  #record({ topic, key, headers, payload }: OutboxRow): OutRecord {
    return { topic: topicName(this.#options.topicPrefix, topic), key, headers, value: payload };
  }

  #runIn(ms: number): void {
    setTimeout(() => this.run(), ms + 1).unref();
  }
}

const newLane = (lease: Held<number>): Lane => ({
  lease,
  sending: undefined,
  again: false,
  leaving: false,
  batchMax: ROWS_MAX,
  failures: 0,
  pausedUntilMs: Number.NEGATIVE_INFINITY,
});
