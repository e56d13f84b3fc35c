import { readFile } from 'node:fs/promises';
import { type KafkaOptions, kafkaClient } from './kafka-client.js';
import type { KafkaPort } from './kafka-port.js';
import type { Log } from './log.js';

/** How to reach the cluster, as configuration says it. */
export interface KafkaSettings extends Pick<KafkaOptions, 'brokers'> {
  /** Without TLS: a developer's machine alone may. */
  readonly plaintext: boolean;
  /** Authorities to trust instead of the system's, PEM. */
  readonly caFile: string | undefined;
  readonly sasl: KafkaOptions['sasl'] | undefined;
}

/** @throws when the file with the authorities cannot be read. Connects only when first used. */
export async function connectKafka(
  { brokers, plaintext, caFile, sasl }: KafkaSettings,
  clientId: string,
  log: Log,
): Promise<KafkaPort> {
  const ca = caFile === undefined ? undefined : await readFile(caFile, 'utf8');
  return kafkaClient({
    brokers,
    clientId,
    log,
    ...(!plaintext && { ssl: ca === undefined ? true : { ca } }),
    ...(sasl && { sasl }),
  });
}
