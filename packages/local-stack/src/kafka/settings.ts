/** Names and values, as server.properties holds them. */
export type KafkaSettings = Readonly<Record<string, string | number>>;

/** The addresses on which a broker listens, and the folder of its data. */
export interface KafkaPlace {
  readonly data: string;
  /** Address on which the broker listens; `advertised` is the one that clients are sent to. */
  readonly listen: string;
  readonly advertised: string;
  readonly controllerPort: number;
}

/** The users of a second port, who log in by SASL PLAIN without TLS. */
export interface KafkaLogins {
  readonly port: number;
  /** Passwords by user name. */
  readonly passwords: Readonly<Record<string, string>>;
}

/**
 * Adds a second port to a broker. Only ACLs allow anything there; clients of the first port may do everything, as
 * without the second.
 */
export const withLogins = (
  settings: KafkaSettings,
  { port, passwords }: KafkaLogins,
): KafkaSettings => {
  const users = Object.entries(passwords).map(([user, password]) => `user_${user}="${password}"`);
  const login = `org.apache.kafka.common.security.plain.PlainLoginModule required ${users.join(' ')};`;
  const listener = {
    name: 'users',
    address: `127.0.0.1:${port}`,
    protocol: 'SASL_PLAINTEXT',
    settings: { 'sasl.enabled.mechanisms': 'PLAIN', 'plain.sasl.jaas.config': login },
  } as const;
  return {
    ...withListener(settings, listener),
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': 'User:ANONYMOUS',
  };
};

/** A way in beside the first one. */
export interface KafkaListener {
  /** Small letters. */
  readonly name: string;
  /** `host:port` that it listens on, and tells its clients. */
  readonly address: string;
  readonly protocol: 'PLAINTEXT' | 'SSL' | 'SASL_PLAINTEXT';
  /** Settings of this listener, without the `listener.name.` before them. */
  readonly settings: KafkaSettings;
}

export function withListener(
  settings: KafkaSettings,
  { name, address, protocol, settings: own }: KafkaListener,
): KafkaSettings {
  const upper = name.toUpperCase();
  const named = Object.entries(own).map(([key, value]) => [`listener.name.${name}.${key}`, value]);
  const map = 'listener.security.protocol.map';
  return {
    ...settings,
    listeners: `${settings['listeners']},${upper}://${address}`,
    'advertised.listeners': `${settings['advertised.listeners']},${upper}://${address}`,
    [map]: `${settings[map]},${upper}:${protocol}`,
    ...Object.fromEntries(named),
  };
}

/** A broker that is its own controller, sized for one machine. */
export const kafkaSettings = (place: KafkaPlace): KafkaSettings => ({
  'process.roles': 'broker,controller',
  'node.id': 1,
  'controller.quorum.voters': `1@127.0.0.1:${place.controllerPort}`,
  'controller.listener.names': 'CONTROLLER',
  listeners: `PLAINTEXT://${place.listen},CONTROLLER://127.0.0.1:${place.controllerPort}`,
  'advertised.listeners': `PLAINTEXT://${place.advertised}`,
  'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
  'inter.broker.listener.name': 'PLAINTEXT',
  'log.dirs': place.data,
  ...ONE_BROKER,
  ...SMALL,
});

const ONE_BROKER: KafkaSettings = {
  // A typo in a topic's name is an error, not a new topic.
  'auto.create.topics.enable': 'false',
  'offsets.topic.replication.factor': 1,
  'offsets.topic.num.partitions': 4,
  'transaction.state.log.replication.factor': 1,
  'transaction.state.log.min.isr': 1,
  'transaction.state.log.num.partitions': 4,
  'share.coordinator.state.topic.replication.factor': 1,
  'share.coordinator.state.topic.min.isr': 1,
  'group.initial.rebalance.delay.ms': 0,
  // A killed broker may come back only when its session has ended: with the defaults 9 s and more.
  'broker.session.timeout.ms': 3_000,
  'broker.heartbeat.interval.ms': 500,
};

const SMALL: KafkaSettings = {
  'num.network.threads': 2,
  'num.io.threads': 4,
  'background.threads': 2,
  'log.cleaner.threads': 1,
  'log.cleaner.dedupe.buffer.size': 4 * 1024 * 1024,
  'log.segment.bytes': 64 * 1024 * 1024,
  // Preallocated for each partition, twice; 10 MB each by default.
  'log.index.size.max.bytes': 1024 * 1024,
};

/** The text of server.properties. */
export const asProperties = (settings: KafkaSettings): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

/** The environment from which the container image writes the same file. */
export const asEnvironment = (settings: KafkaSettings): Record<string, string> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      `KAFKA_${name.toUpperCase().replaceAll('.', '_')}`,
      String(value),
    ]),
  );

/** 150 MB in memory, 1.6 s to start. */
export const JVM_OPTIONS: readonly string[] = [
  '-Xms64m',
  '-Xmx256m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-XX:+ExitOnOutOfMemoryError',
  '-Djava.awt.headless=true',
  '-Dorg.slf4j.simpleLogger.showDateTime=true',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
];
