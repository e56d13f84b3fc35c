import { atMost, backoffMs, deferred, pause } from '@junction/async';
import kafkajs, { type Consumer, type Kafka, type RetryOptions } from 'kafkajs';
import { assignments } from './assignments.js';
import { eachBatch, type Watched } from './each-batch.js';
import { endFirst } from './end-first.js';
import { fetchByIds, TopicIds } from './fetch-by-id.js';
import type { ConsumeOptions, Subscription } from './kafka-port.js';
import type { Log } from './log.js';

/** Milliseconds that the group waits for a member that was killed before others get its partitions. */
const SESSION_TIMEOUT_MS = 8_000;
const REBALANCE_TIMEOUT_MS = 30_000;

/** Maximum delay until a member learns that the group rebalances. */
const HEARTBEAT_MS = 1_000;

/**
 * Upper bound of a fetch. kafkajs decodes all of a fetch before it hands anything on: its default of 10 MB becomes 100
 * MB of small objects, which then wait for their turn. A larger record comes alone.
 */
const FETCH_BYTES_MAX = 2 * 1_024 * 1_024;
const FETCH_BYTES_PER_PARTITION_MAX = 256 * 1_024;

/**
 * Silence after which a consumer counts as dead. A living consumer makes itself heard every second, and during a long
 * batch after each of its transactions, none of which takes longer than 30 s.
 */
const SILENCE_MAX_MS = 45_000;
/**
 * Maximum time of joining. Until a consumer has joined there is nothing to hear: the group waits that long for a member
 * that hangs. A consumer that is given up earlier leaves a member behind that its successor then waits for, over and
 * over.
 */
const JOINING_MAX_MS = REBALANCE_TIMEOUT_MS + 15_000;
const WATCH_MS = 5_000;
const STOP_MAX_MS = 5_000;
/** Time for giving up a consumer that has not even connected: it has nothing in hand to finish. */
const GIVE_UP_CONNECTING_MS = 1_000;

/**
 * Runs a consumer and makes a new one whenever it ends. kafkajs restarts some crashes by itself and gives up on others
 * without a word; here kafkajs never restarts, so one rule covers all crashes.
 */
export function runConsumer(
  connect: () => Kafka,
  retry: RetryOptions,
  options: ConsumeOptions,
  log: Log,
): Subscription {
  const stopping = new AbortController();
  const { silenceMaxMs = SILENCE_MAX_MS } = options;
  const membership: Membership = {
    joining: false,
    joined: false,
    heardAtMs: performance.now(),
    silenceMaxMs,
  };

  const supervise = async (): Promise<void> => {
    for (let failures = 1; !stopping.signal.aborted; failures++) {
      membership.joining = false;
      membership.joined = false;
      const holding: Holding = { ids: new TopicIds(), end: async () => undefined };
      const consumer = newConsumer(connect(), options.group, holding, retry);
      const { error, started } = await runOnce(
        consumer,
        holding,
        options,
        membership,
        stopping.signal,
      );
      await atMost(
        membership.joining ? STOP_MAX_MS : GIVE_UP_CONNECTING_MS,
        closed(consumer, started, holding, log),
      );
      if (stopping.signal.aborted) return;

      if (membership.joined) failures = 1;
      membership.joined = false;
      log.warn({ err: error, group: options.group }, 'kafka: the consumer ended; making another');
      await pause(backoffMs(failures), stopping.signal);
    }
  };

  const ended = supervise();
  return {
    healthy: () => membership.joined && !isSilent(membership),
    async stop() {
      stopping.abort();
      await atMost(STOP_MAX_MS, ended);
    },
  };
}

interface Membership {
  joining: boolean;
  joined: boolean;
  heardAtMs: number;
  readonly silenceMaxMs: number;
}

/** Partitions that one consumer holds. */
interface Holding {
  readonly ids: TopicIds;
  /** Ends the last assignment. May be called again. */
  end: () => Promise<void>;
}

const isSilent = (membership: Membership): boolean =>
  performance.now() - membership.heardAtMs >= silenceLimitMs(membership);

const silenceLimitMs = ({ joined, silenceMaxMs }: Membership): number =>
  joined ? silenceMaxMs : JOINING_MAX_MS;

/** An outage, as kafkajs says it. Its words are the same for each consumer, so that a log has them once. */
const silence = (ms: number): Error =>
  Object.assign(new Error(`The consumer has not been heard of for ${ms / 1_000} s.`), {
    name: 'KafkaJSError',
    retriable: true,
  });

const newConsumer = (
  kafka: Kafka,
  groupId: string,
  holding: Holding,
  retry: RetryOptions,
): Consumer =>
  kafka.consumer({
    groupId,
    partitionAssigners: [
      (config) => {
        // kafkajs shows the consumer's cluster here alone.
        fetchByIds(config.cluster, holding.ids);
        endFirst(config.cluster, async () => holding.end());
        return kafkajs.PartitionAssigners.roundRobin(config);
      },
    ],
    sessionTimeout: SESSION_TIMEOUT_MS,
    rebalanceTimeout: REBALANCE_TIMEOUT_MS,
    heartbeatInterval: HEARTBEAT_MS,
    minBytes: 1,
    maxBytes: FETCH_BYTES_MAX,
    maxBytesPerPartition: FETCH_BYTES_PER_PARTITION_MAX,
    allowAutoTopicCreation: false,
    retry: { ...retry, restartOnFailure: async () => false },
  });

interface Ended {
  readonly error: unknown;
  /** Resolves when the consumer's start is over, which may be after its end; never rejects. */
  readonly started: Promise<unknown>;
}

/** Runs a consumer until it ends, and returns the error that ended it. */
async function runOnce(
  consumer: Consumer,
  holding: Holding,
  options: ConsumeOptions,
  membership: Membership,
  stopping: AbortSignal,
): Promise<Ended> {
  const end = deferred<unknown>();
  const ending = new AbortController();
  // A consumer that was given up and goes on says nothing about its successor.
  const heard = (): void => {
    if (!ending.signal.aborted) membership.heardAtMs = performance.now();
  };
  const watch = setInterval(
    () => {
      if (isSilent(membership)) end.resolve(silence(silenceLimitMs(membership)));
    },
    Math.min(WATCH_MS, membership.silenceMaxMs / 2),
  );
  const stop = (): void => end.resolve(undefined);

  const { GROUP_JOIN, CRASH, FETCH, START_BATCH_PROCESS, END_BATCH_PROCESS } = consumer.events;
  const assigned = assignments(consumer, options, holding.ids, ending.signal);
  holding.end = assigned.end;
  consumer.on(GROUP_JOIN, ({ payload }) => {
    if (ending.signal.aborted) return;
    membership.joined = true;
    assigned.join(payload.memberAssignment);
  });
  consumer.on(CRASH, ({ payload }) => end.resolve(payload.error));
  consumer.on(START_BATCH_PROCESS, ({ payload }) => assigned.batch(payload));
  for (const event of [FETCH, GROUP_JOIN, START_BATCH_PROCESS, END_BATCH_PROCESS] as const) {
    consumer.on(event as typeof FETCH, heard);
  }

  heard();
  stopping.addEventListener('abort', stop, { once: true });
  // The start is not awaited: with Kafka away, a stop would only be noticed after the last attempt to connect.
  const watched = { heard, ending: ending.signal, fence: assigned.fence };
  const started = start(consumer, options, membership, watched).catch(end.resolve);
  const error = await end.promise;
  ending.abort();
  clearInterval(watch);
  stopping.removeEventListener('abort', stop);
  return { error, started };
}

async function start(
  consumer: Consumer,
  options: ConsumeOptions,
  membership: Membership,
  watched: Watched,
): Promise<void> {
  await consumer.connect();
  // A group without Kafka offsets starts at the beginning of the log until onAssigned seeks, so that it skips no
  // record.
  await consumer.subscribe({ topics: [...options.topics], fromBeginning: true });
  if (watched.ending.aborted) return;
  membership.joining = true;
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: options.concurrency,
    eachBatch: eachBatch(options.onBatch, watched),
  });
}

/**
 * Ends a consumer after its start. kafkajs cannot stop a consumer that is still joining: it would become a member that
 * nobody knows, and keep its partitions from the others.
 */
async function closed(
  consumer: Consumer,
  started: Promise<unknown>,
  holding: Holding,
  log: Log,
): Promise<void> {
  await started
    .then(async () => consumer.disconnect())
    .catch((error: unknown) => log.debug({ err: error }, 'kafka: consumer did not disconnect'));
  // A consumer that has crashed does not leave its group, so nothing has ended its assignment.
  await holding.end();
}
