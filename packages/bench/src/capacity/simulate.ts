/** Seconds of a processor that one delivery takes, by who takes them. */
export interface Demands {
  /** Seconds on the dispatcher's JavaScript thread, of which a replica has one. */
  readonly sending: number;
  /**
   * Seconds on the dispatcher's other threads. Most of the work there is garbage collection, which stops the
   * JavaScript thread.
   */
  readonly helping: number;
  /** Seconds in all processes of the server; each replica writes through one of them at a time. */
  readonly postgres: number;
  /** Seconds in a server of many threads. */
  readonly kafka: number;
  /** Seconds in all endpoints, on one thread. */
  readonly receiving: number;
}

export interface Machine {
  readonly cores: number;
  readonly replicas: number;
  /**
   * Additional cost of a delivery per replica beyond the cores, as a portion of that cost: more replicas use the
   * same caches.
   */
  readonly crowding: number;
}

/** Deliveries that one replica has under way at once. The dispatcher has the same bound for endpoints that answer. */
const AT_ONCE = 128;
const DELIVERIES = 20_000;
/** Until so many are done, the threads that come last have nothing to do. */
const WARM_AFTER = 2_000;

/** Seconds below a clock tick of any machine: less remaining work is a rounding error. */
const NOTHING_S = 1e-12;

/** A thread of a program. */
interface Thread {
  readonly station: number;
  readonly demandS: number;
  /** The replicas whose deliveries wait for it; the first is the one that it works on. */
  readonly queue: number[];
  leftS: number;
}

/**
 * Deliveries a second of so many replicas that share the cores of one machine with Postgres, Kafka and the
 * endpoints. The threads that have something to do share the cores evenly (processor sharing), a thread never
 * has more than one core, and each replica has a bounded number of deliveries under way: a closed queueing
 * network (Lazowska and others, Quantitative System Performance, chapter 6), simulated from event to event.
 */
export function simulate(demands: Demands, { cores, replicas, crowding }: Machine): number {
  const slowdown = 1 + crowding * Math.max(0, replicas - cores);
  const stations = stationsOf(demands, replicas);
  const threads = [...new Set(stations.flat())];
  for (const [replica, thread] of (stations[0] ?? []).entries()) {
    for (let n = 0; n < AT_ONCE; n++) add(thread, replica);
  }
  const next = (thread: Thread, replica: number) =>
    stations[(thread.station + 1) % stations.length]?.[replica];

  let [nowS, warmS, done] = [0, 0, 0];
  while (done < DELIVERIES) {
    const working = threads.filter(({ queue }) => queue.length > 0);
    const speed = Math.min(1, cores / working.length) / slowdown;
    const stepS = Math.min(...working.map(({ leftS }) => leftS));
    nowS += stepS / speed;
    for (const thread of working) thread.leftS -= stepS;
    for (const thread of working.filter(({ leftS }) => leftS <= NOTHING_S)) {
      const replica = takeFirst(thread);
      add(next(thread, replica) ?? thread, replica);
      if (thread.station === 0) done++;
      if (done === WARM_AFTER) warmS = nowS;
    }
  }
  return (done - WARM_AFTER) / (nowS - warmS);
}

/** Returns the stations of a delivery: each lists, by replica, the thread that works for that replica. */
function stationsOf(demands: Demands, replicas: number): readonly (readonly Thread[])[] {
  const { sending, helping, postgres, kafka, receiving } = demands;
  const own = (station: number, demandS: number) =>
    Array.from({ length: replicas }, () => threadOf(station, demandS));
  const shared = (station: number, demandS: number) => {
    const thread = threadOf(station, demandS);
    return Array.from({ length: replicas }, () => thread);
  };
  return [own(0, sending + helping), shared(1, receiving), own(2, postgres), own(3, kafka)];
}

const threadOf = (station: number, demandS: number): Thread => ({
  station,
  demandS,
  queue: [],
  leftS: 0,
});

function add(thread: Thread, replica: number): void {
  if (thread.queue.push(replica) === 1) thread.leftS = thread.demandS;
}

/** The next one begins at once. */
function takeFirst(thread: Thread): number {
  const replica = thread.queue.shift() ?? 0;
  thread.leftS = thread.demandS;
  return replica;
}
