import path from 'node:path';
import { PostgreSqlContainer } from '@testcontainers/postgresql';
import { GenericContainer, Wait } from 'testcontainers';
import type { KafkaOptions } from '../kafka/kafka.js';
import { asEnvironment, kafkaSettings } from '../kafka/settings.js';
import { ADMIN } from '../postgres/cluster.js';
import type { PostgresOptions } from '../postgres/postgres.js';
import { settingsOf } from '../postgres/settings.js';
import { portFor } from '../process/ports.js';
import type { KafkaServer, PostgresServer } from '../process/running-server.js';
import { bindLocally, engineHost, startContainer } from './container.js';
import { dockerSecrets, kafkaVolume, postgresVolume } from './secrets.js';

const POSTGRES_PORT = 5_432;

class LocalPostgres extends PostgreSqlContainer {
  protected override beforeContainerCreated = () => bindLocally(this.hostConfig);
}

/** A container of the image that docker-compose.yml runs; `@testcontainers/kafka` can only start Confluent's. */
class LocalKafka extends GenericContainer {
  protected override beforeContainerCreated = () => bindLocally(this.hostConfig);
}

/** `startPostgres` in a container: the same answers, the data in a volume. */
export async function startPostgresContainer(options: PostgresOptions): Promise<PostgresServer> {
  const { dataDir, ephemeral = false } = options;
  const port = await portFor(options.port, { server: 'Postgres', variable: 'POSTGRES_PORT' });
  const { id, password } = dockerSecrets(dataDir);
  const container = new LocalPostgres('postgres:18')
    .withUsername(ADMIN)
    .withPassword(password)
    .withDatabase('postgres')
    .withEnvironment({
      POSTGRES_INITDB_ARGS: '--locale=C --locale-provider=builtin --builtin-locale=C.UTF-8',
    })
    // The packaged Postgres has no lz4, and pglz would cost more than it saves.
    .withCommand(['postgres', ...settingsOf(options, { wal_compression: 'lz4' })]);
  const server = await startContainer(container, {
    log: path.join(dataDir, 'docker-postgres.log'),
    port: { container: POSTGRES_PORT, host: port },
    // The image of 18 keeps its data in a folder of the version below this one.
    volume: ephemeral ? undefined : { source: postgresVolume(id), target: '/var/lib/postgresql' },
  });
  const host = await engineHost();
  const urlOf = (database: string, role: string, secret: string) =>
    `postgres://${role}:${encodeURIComponent(secret)}@${host}:${port}/${database}`;
  return { ...server, adminUrl: urlOf('postgres', ADMIN, password), urlOf };
}

/** `startKafka` in a container: the same answers, the data in a volume. */
export async function startKafkaContainer(
  options: KafkaOptions & { readonly ephemeral?: boolean },
): Promise<KafkaServer> {
  const { dataDir, ephemeral = false } = options;
  const port = await portFor(options.port, { server: 'Kafka', variable: 'KAFKA_PORT' });
  const data = '/var/lib/kafka/data';
  const brokers = `${await engineHost()}:${port}`;
  const settings = kafkaSettings({
    data,
    listen: `0.0.0.0:${port}`,
    advertised: brokers,
    controllerPort: port === 9_093 ? 9_094 : 9_093,
  });
  const container = new LocalKafka('apache/kafka:4.3.1')
    .withEnvironment({ ...asEnvironment(settings), KAFKA_HEAP_OPTS: '-Xms64m -Xmx256m' })
    // Said when the broker is registered and its controller lets it serve.
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/));
  const server = await startContainer(container, {
    log: path.join(dataDir, 'docker-kafka.log'),
    // The port inside is the same: the broker talks to itself at the address that it tells its clients.
    port: { container: port, host: port },
    volume: ephemeral
      ? undefined
      : { source: kafkaVolume(dockerSecrets(dataDir).id), target: data },
  });
  return { ...server, brokers };
}
