import type { Event } from '@junction/eventsourcing';
import {
  type Consumer,
  type DeadLetter,
  measureConsumers,
  measureDeadLetters,
  startConsumer,
} from '@junction/messaging';
import { onAuthEvents, REVOKED_FOR_MS } from '../callers/index.js';
import type { Platform, PlatformConfig } from './platform.js';
import { publishErased } from './publish-erased.js';
import type { ConsumerDefinition, ServiceDefinition, ServiceParts } from './service.js';

/** Starts the consumers of a service in their order, that of auth's events before its own. */
export async function startConsumers<Config extends PlatformConfig, E extends Event>(
  service: ServiceDefinition<Config, E>,
  { usersDeleted, consumers = [] }: Pick<ServiceParts, 'usersDeleted' | 'consumers'>,
  platform: Platform<Config, E>,
): Promise<readonly Consumer[]> {
  const { name, config, backgroundPool: pool, kafka, closing, log, meter } = platform;
  const { topicPrefix } = config.kafka;
  const { consumed } = service.topics;
  const ofAuth = usersDeleted ? [authConsumer(service, usersDeleted, platform)] : [];
  const onDeadLetters = countDeadLetters(platform);
  const started: Consumer[] = [];
  for (const { name: short, onStarted, ...definition } of [...ofAuth, ...consumers]) {
    const group = `${name}.${short}`;
    const topics = consumed[short];
    if (topics === undefined) throw new Error(`No topics are declared for the consumer ${short}.`);
    const common = { pool, kafka, topicPrefix, group, topics, log, onDeadLetters };
    const consumer = await startConsumer({ ...common, ...definition });
    closing.add(group, consumer, (one) => one.stop(), { atOnce: true });
    onStarted?.(consumer);
    started.push(consumer);
  }
  if (started.length > 0) {
    measureConsumers(meter, started);
    measureDeadLetters(meter, pool);
  }
  return started;
}

/** Returns the consumer of auth's events, which reports to auth what was deleted of users. */
const authConsumer = <Config extends PlatformConfig, E extends Event>(
  service: ServiceDefinition<Config, E>,
  usersDeleted: NonNullable<ServiceParts['usersDeleted']>,
  { revocations, health, committed }: Platform<Config, E>,
): ConsumerDefinition => ({
  name: 'auth',
  dropDuplicates: true,
  handle: onAuthEvents({
    revocations,
    async usersDeleted(tx, users) {
      const { countsOf, afterCommit } = await usersDeleted(tx, users);
      await publishErased(tx, service, users, countsOf);
      return () => {
        afterCommit?.();
        committed();
      };
    },
  }),
  // A session that was revoked before the start must not get in because its revocation is not read yet. Once those
  // revocations are older than they count, no token of such a session is valid, so a replica can start without Kafka.
  onStarted(consumer) {
    const startedMs = performance.now();
    const noneCounts = () => performance.now() - startedMs > REVOKED_FOR_MS;
    health.addOnce('revocations', () => consumer.caughtUp() || noneCounts());
  },
});

/**
 * Returns the listener for new dead letters: it counts these dead letters and wakes the relay, which publishes them.
 */
function countDeadLetters({
  meter,
  wakeRelay,
}: Pick<Platform<unknown, Event>, 'meter' | 'wakeRelay'>) {
  const count = meter.counter(
    'junction_dead_letters_total',
    'Records that were set aside, by consumer and topic.',
    ['consumer', 'topic'],
  );
  return (letters: readonly DeadLetter[]): void => {
    for (const { consumer, topic } of letters) count({ consumer, topic });
    wakeRelay();
  };
}
