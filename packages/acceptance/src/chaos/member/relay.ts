import { postgresNotifier } from '@junction/eventsourcing/postgres';
import { type KafkaPort, type Log, startRelay } from '@junction/messaging';
import type pg from 'pg';
import { delayConnections } from './busy-pool.js';

/**
 * Milliseconds between wake-ups, so few that a batch is nearly always under way when the process is killed or
 * paused.
 */
const WAKE_EVERY_MS = 20;
/** Between what Kafka acknowledged and its deletion, among others. */
const QUEUE_MS = 20;

/** Publishes the outbox until it is killed. */
export async function relay(
  name: string,
  pool: pg.Pool,
  kafka: KafkaPort,
  log: Log,
): Promise<void> {
  delayConnections(pool, QUEUE_MS);
  const notifier = postgresNotifier({ pool, onError: () => undefined });
  const { wake } = await startRelay({ pool, kafka, notifier, topicPrefix: '', owner: name, log });
  setInterval(wake, WAKE_EVERY_MS);
}
