import { X509Certificate } from 'node:crypto';
import { currentFile } from './current-file.js';
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
  /** Where the password of `sasl` came from. */
  readonly saslPasswordFile?: string | undefined;
}

/**
 * Connects only when first used. Each connection trusts the authorities, and has the password, that their files hold then.
 *
 * @throws when one of the files cannot be used
 */
export async function connectKafka(
  { brokers, plaintext, caFile, sasl, saslPasswordFile }: KafkaSettings,
  clientId: string,
  log: Log,
): Promise<KafkaPort> {
  // Read without TLS too: a wrong path is told where it is set, and not when TLS is turned on.
  const ssl = caFile === undefined ? true : authorities(caFile, log);
  return kafkaClient({
    brokers,
    clientId,
    log,
    ...(!plaintext && { ssl }),
    ...(sasl && { sasl: saslPasswordFile ? login(sasl, saslPasswordFile, log) : sasl }),
  });
}

function authorities(file: string, log: Log): { readonly ca: string } {
  // Given an empty text, TLS would trust the system's authorities.
  const ca = currentFile(file, log, (text) => new X509Certificate(text));
  return {
    get ca() {
      return ca();
    },
  };
}

function login(
  { mechanism, username }: NonNullable<KafkaOptions['sasl']>,
  file: string,
  log: Log,
): NonNullable<KafkaOptions['sasl']> {
  const password = currentFile(file, log);
  return {
    mechanism,
    username,
    get password() {
      return password();
    },
  };
}
