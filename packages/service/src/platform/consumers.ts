import type { Event } from '@junction/eventsourcing';
import {
  type Consumer,
  type DeadLetter,
  measureConsumers,
  measureDeadLetters,
  startConsumer,
} from '@junction/messaging';
import { onAuthEvents } from '../callers/index.js';
import type { Platform, PlatformConfig } from './platform.js';
import { publishErased } from './publish-erased.js';
import type { ConsumerDefinition, ServiceDefinition, ServiceParts } from './service.js';

/** Starts the consumers of a service in their order, that of auth's events before its own. */
export async function startConsumers<Config extends PlatformConfig, E extends Event>(
  service: ServiceDefinition<Config, E>,
  { usersDeleted, consumers = [] }: Pick<ServiceParts, 'usersDeleted' | 'consumers'>,
  platform: Platform<Config, E>,
): Promise<readonly Consumer[]> {
  const { name, config, backgroundPool: pool, kafka, health, closing, log, meter } = platform;
  const { topicPrefix } = config.kafka;
  const { consumed } = service.topics;
  const ofAuth = usersDeleted ? [authConsumer(service, usersDeleted, platform)] : [];
  const onDeadLetters = countDeadLetters(platform);
  const started: Consumer[] = [];
  for (const { name: short, onStarted, readyWithout, ...definition } of [...ofAuth, ...consumers]) {
    const group = `${name}.${short}`;
    const topics = consumed[short];
    if (topics === undefined) throw new Error(`No topics are declared for the consumer ${short}.`);
    const common = { pool, kafka, topicPrefix, group, topics, log, onDeadLetters };
    const consumer = await startConsumer({ ...common, ...definition });
    closing.add(group, consumer, (one) => one.stop(), { atOnce: true });
    if (!readyWithout) health.add(group, () => consumer.healthy());
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
      const userIds = users.map(({ userId }) => userId);
      await publishErased(tx, service, userIds, countsOf);
      return () => {
        afterCommit?.();
        committed();
      };
    },
  }),
  // A revoked session must not get in because we have not read of it yet.
  onStarted: (consumer) => health.addOnce('revocations', () => consumer.caughtUp()),
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
