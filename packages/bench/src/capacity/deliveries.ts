import { nowMs, until } from '../clock.js';
import { fill } from '../dispatch/events.js';
import type { Seen } from '../dispatch/receiver.js';
import { databaseBytes, USERS } from '../dispatch/throughput.js';
import type { World } from '../dispatch/world.js';
import type { ServiceProcess } from '../service-process.js';
import type { Figures } from '../suite.js';
import { firstThreadS, processorS } from './processor-time.js';
import { type Demands, simulate } from './simulate.js';

const READY_WITHIN_MS = 60_000;
const EMPTIED_WITHIN_MS = 300_000;
/** The last ones come from few of the partitions. */
const UNTIL = 0.9;

export interface DeliveryRuns {
  readonly cores: number;
  readonly events: number;
  readonly replicas: readonly number[];
}

/**
 * Measures the cost of a delivery with one replica, and the deliveries per second of several replicas, both
 * simulated and measured.
 */
export async function measureDeliveries(world: World, runs: DeliveryRuns): Promise<Figures> {
  const users = await world.usersAt(world.receiver.plainUrl, USERS);
  const { cores, events } = runs;
  await shared(world, { users, events, replicas: 1 });
  const stored = await databaseBytes(world);
  const alone = await shared(world, { users, events, replicas: 1 });
  const figures: Record<string, number> = {
    delivery_sending_us: alone.demands.sending * 1e6,
    delivery_helping_us: alone.demands.helping * 1e6,
    delivery_postgres_us: alone.demands.postgres * 1e6,
    delivery_kafka_us: alone.demands.kafka * 1e6,
    delivery_receiving_us: alone.demands.receiving * 1e6,
    delivery_stored_bytes: ((await databaseBytes(world)) - stored) / events,
    delivery_wal_bytes: alone.walBytes,
    delivery_sent_bytes: alone.sentBytes,
  };
  const crowded = await shared(world, { users, events, replicas: cores + 1 });
  const crowding = Math.max(0, totalOf(crowded.demands) / totalOf(alone.demands) - 1);
  figures['crowding_ratio'] = crowding;
  for (const replicas of runs.replicas) {
    const { perS } = await shared(world, { users, events, replicas });
    const simulated = simulate(alone.demands, { cores, replicas, crowding });
    figures[`replicas_${replicas}_per_s`] = perS;
    figures[`replicas_${replicas}_simulated_per_s`] = simulated;
    figures[`replicas_${replicas}_error`] = Math.abs(simulated / perS - 1);
  }
  return figures;
}

const totalOf = ({ sending, helping, postgres, kafka, receiving }: Demands): number =>
  sending + helping + postgres + kafka + receiving;

interface Load {
  readonly users: readonly string[];
  /** Events to be published; each leads to one delivery. */
  readonly events: number;
  readonly replicas: number;
}

interface Shared {
  readonly perS: number;
  readonly demands: Demands;
  /** Bytes of the write-ahead log per delivery. */
  readonly walBytes: number;
  readonly sentBytes: number;
}

/** Has replicas deliver what is in the topic, together; counted from when all of it is there. */
async function shared(world: World, { users, events, replicas }: Load): Promise<Shared> {
  const { receiver, producer, settled } = world;
  const started = await Promise.all(Array.from({ length: replicas }, () => world.start()));
  await until('Sharing the shards', () => isShared(world, replicas), {
    deadlineMs: READY_WITHIN_MS,
    signal: world.run.signal,
  });
  await receiver.reset();
  await fill(producer, users, events);
  const before = await usedBy(world, started);
  await receiver.received(events * UNTIL, EMPTIED_WITHIN_MS);
  const after = await usedBy(world, started);
  await receiver.received(events, EMPTIED_WITHIN_MS);
  await settled();
  await Promise.all(started.map((replica) => replica.end('SIGTERM')));

  const count = after.seen.count - before.seen.count;
  const each = (name: keyof Demands | 'walBytes') => (after[name] - before[name]) / count;
  return {
    perS: (count / (after.atMs - before.atMs)) * 1_000,
    demands: {
      sending: each('sending'),
      helping: each('helping'),
      postgres: each('postgres'),
      kafka: each('kafka'),
      receiving: each('receiving'),
    },
    walBytes: each('walBytes'),
    sentBytes: (after.seen.bytes - before.seen.bytes) / count,
  };
}

interface Used extends Demands {
  readonly atMs: number;
  readonly seen: Seen;
  readonly walBytes: number;
}

/** Reads the processor time that replicas, servers and receiver have used so far, in seconds. */
async function usedBy(
  { backends, pool, receiver }: World,
  replicas: readonly ServiceProcess[],
): Promise<Used> {
  const seen = await receiver.seen();
  const atMs = nowMs();
  const { postgres = 0, kafka = 0 } = backends.pids();
  const sum = (secondsOf: (pid: number) => number) =>
    replicas.reduce((total, { pid }) => total + secondsOf(pid), 0);
  const sending = sum(firstThreadS);
  const { rows } = await pool.query<{ bytes: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`,
  );
  return {
    atMs,
    seen,
    sending,
    helping: sum(processorS) - sending,
    postgres: processorS(postgres),
    kafka: processorS(kafka),
    receiving: processorS(receiver.pid),
    walBytes: rows[0]?.bytes ?? Number.NaN,
  };
}

async function isShared({ pool }: World, replicas: number): Promise<true | undefined> {
  const { rowCount } = await pool.query(SHARES, [Math.floor(SHARES_MIN / replicas)]);
  return rowCount === replicas ? true : undefined;
}

/** Least number of the 48 shards that have an owner when the sharing counts as done; a few may still be moving. */
const SHARES_MIN = 40;

const SHARES = `
select from shard_leases
 where owner is not null and expires_at > now()
 group by owner having count(*) >= $1`;
