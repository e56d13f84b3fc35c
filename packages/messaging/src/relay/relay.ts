import { randomUUID } from 'node:crypto';
import { atMost, repeat } from '@junction/async';
import { LEASE, type LeaseTimes, trustedMs } from '@junction/eventsourcing/leases';
import type { Notifier } from '@junction/eventsourcing/postgres';
import type { KafkaPort, Log } from '@junction/kafka';
import type pg from 'pg';
import type { Meter } from '../meter.js';
import { laneLeases } from './lane-leases.js';
import { LanePump } from './lane-pump.js';
import { LANES } from './outbox-rows.js';
import { measureRelay } from './relay-measures.js';

/** Channels between the relays of a database: rows were committed, lanes are free. */
const ROWS = 'outbox';
const LANES_FREE = 'lanes';

const STOP_MAX_MS = 5_000;

export interface RelayOptions {
  readonly pool: pg.Pool;
  readonly kafka: KafkaPort;
  /** Notifier, which its owner closes after the relay. */
  readonly notifier: Notifier;
  /** Prefix of the topic of every row. */
  readonly topicPrefix: string;
  /** Name of this process in the lease table; made unique, so that restarts may use the same name. */
  readonly owner: string;
  readonly log: Log;
  /** Registry for the measures of the outbox. */
  readonly meter?: Meter;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
  /**
   * Interval at which leases are renewed, and rows read that nobody notified about: 2 s. Time without a renewal after
   * which a lane is free to take: 6 s.
   */
  readonly lease?: LeaseTimes;
}

export interface Relay {
  /** Rows were committed: send them now. Costs nothing when there are none. */
  wake(): void;
  /** Returns whether the relay holds a valid lease and could send the last time it tried. */
  healthy(): boolean;
  /** Finishes what is in flight (5 s at most) and leaves the lanes to the other relays. */
  stop(): Promise<void>;
}

/**
 * Publishes the outbox: every row at least once, the rows of a key in their order. Lanes are leased
 * to one relay at a time; a lane has one batch in flight, and a row is deleted only once all
 * in-sync replicas have it. Postgres or Kafka may go and come back at any time.
 *
 * Resolves when it has tried to connect, whether that succeeded or not.
 */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  const { pool, kafka, notifier, topicPrefix, log, clock = () => performance.now() } = options;
  const { renewMs, expiryMs } = options.lease ?? LEASE;
  const me = `${options.owner}/${randomUUID()}`;
  const leases = laneLeases(pool, me, expiryMs);
  const producer = await kafka.producer();
  const pump = new LanePump({ pool, producer, topicPrefix, me, log, clock });
  if (options.meter) pump.onSent = measureRelay(options.meter, pool, pump);

  const renewing = repeat(
    renewMs,
    async () => {
      // The lease counts from before the question, and ends for us before it ends for the others.
      const validUntilMs = clock() + trustedMs(expiryMs);
      const { held, surplus, othersExpireInMs } = await leases.renew(pump.lanes());
      pump.hold(held, surplus, validUntilMs);
      const free = surplus.filter((lane) => pump.release(lane));
      if (free.length > 0) {
        await leases.release(free);
        notifier.notify(LANES_FREE);
      }
      pump.run();
      // A relay that died notifies nobody: renew again just when its lease runs out.
      return othersExpireInMs + 20;
    },
    notRenewed(log),
  );
  const hearing = [
    notifier.listen(LANES_FREE, renewing.wake),
    notifier.listen(ROWS, () => pump.run()),
  ];
  renewing.wake();

  const leave = async (): Promise<void> => {
    await Promise.all([pump.stop(), renewing.stop()]);
    await leases.leave();
    notifier.notify(LANES_FREE);
  };

  return {
    wake() {
      // A notification reaches this process too, and runs the pump.
      if (pump.lanes().length < LANES) notifier.notify(ROWS);
      else pump.run();
    },
    healthy: () => pump.healthy(),
    async stop() {
      for (const stop of hearing) stop();
      await atMost(STOP_MAX_MS, leave()).catch((error: unknown) =>
        log.warn({ err: error }, 'relay: its leases stay until they run out'),
      );
      // A network that swallows packets lets no connection end by itself.
      await atMost(STOP_MAX_MS, producer.close());
    },
  };
}

const notRenewed =
  (log: Log) =>
  (error: unknown): void =>
    log.warn({ err: error }, 'relay: leases not renewed');
