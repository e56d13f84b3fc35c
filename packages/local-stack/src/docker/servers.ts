import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { kafkaAnswers } from '../kafka/admin.js';
import type { KafkaOptions } from '../kafka/kafka.js';
import { asEnvironment, kafkaSettings } from '../kafka/settings.js';
import { answersQueries } from '../postgres/answers.js';
import { ADMIN } from '../postgres/cluster.js';
import type { PostgresOptions } from '../postgres/postgres.js';
import { freePort, requireFreePort } from '../process/ports.js';
import type { KafkaServer, PostgresServer } from '../process/running-server.js';
import { containerReady, engineHost, startContainer } from './container.js';

const POSTGRES_IMAGE = 'postgres:18';
const KAFKA_IMAGE = 'apache/kafka:4.3.1';

const POSTGRES_PORT = 5_432;

/** `startPostgres` in a container: the same answers, the data in a volume. */
export async function startPostgresContainer(options: PostgresOptions): Promise<PostgresServer> {
  const { ephemeral = false, connectionsMax = 200, say = () => undefined } = options;
  if (options.port !== undefined) {
    await requireFreePort(options.port, { server: 'Postgres', variable: 'POSTGRES_PORT' });
  }
  const { id, password } = dockerSecrets(options.dataDir);
  const port = options.port ?? (await freePort());
  const unsafe = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
  const settings = [
    `max_connections=${connectionsMax}`,
    'timezone=UTC',
    ...(ephemeral ? unsafe : []),
  ];

  const started = await startContainer({
    image: POSTGRES_IMAGE,
    log: path.join(options.dataDir, 'docker-postgres.log'),
    port: { container: POSTGRES_PORT, host: port },
    environment: {
      POSTGRES_USER: ADMIN,
      POSTGRES_PASSWORD: password,
      POSTGRES_INITDB_ARGS: '--locale=C --locale-provider=builtin --builtin-locale=C.UTF-8',
    },
    command: ['postgres', ...settings.flatMap((setting) => ['-c', setting])],
    // The image of 18 keeps its data in a folder of the version below this one.
    ...(ephemeral
      ? {}
      : { volume: { name: `junction-postgres-${id}`, target: '/var/lib/postgresql' } }),
  });
  const urlOf = (database: string, role: string, secret: string) =>
    `postgres://${role}:${encodeURIComponent(secret)}@${started.host}:${port}/${database}`;
  const adminUrl = urlOf('postgres', ADMIN, password);
  await containerReady('Postgres', started, () => answersQueries(adminUrl), say);
  return { ...started, port, adminUrl, urlOf };
}

/** `startKafka` in a container: the same answers, the data in a volume. */
export async function startKafkaContainer(
  options: KafkaOptions & { readonly ephemeral?: boolean },
): Promise<KafkaServer> {
  const { ephemeral = false, say = () => undefined } = options;
  if (options.port !== undefined) {
    await requireFreePort(options.port, { server: 'Kafka', variable: 'KAFKA_PORT' });
  }
  const { id } = dockerSecrets(options.dataDir);
  const port = options.port ?? (await freePort());
  const data = '/var/lib/kafka/data';
  const brokers = `${await engineHost()}:${port}`;

  const started = await startContainer({
    image: KAFKA_IMAGE,
    log: path.join(options.dataDir, 'docker-kafka.log'),
    // The same port inside: the broker talks to itself at the address that it tells its clients.
    port: { container: port, host: port },
    environment: {
      ...asEnvironment(
        kafkaSettings({
          data,
          listen: `0.0.0.0:${port}`,
          advertised: brokers,
          controllerPort: port === 9_093 ? 9_094 : 9_093,
        }),
      ),
      KAFKA_HEAP_OPTS: '-Xms64m -Xmx256m',
    },
    ...(ephemeral ? {} : { volume: { name: `junction-kafka-${id}`, target: data } }),
  });
  await containerReady('Kafka', started, () => kafkaAnswers(brokers), say);
  return { ...started, port, brokers };
}

/** The names of the volumes of a data folder: what a reset has to remove. */
export function dockerVolumes(dataDir: string): readonly string[] {
  const file = path.join(dataDir, SECRETS);
  if (!existsSync(file)) return [];
  const { id } = dockerSecrets(dataDir);
  return [`junction-postgres-${id}`, `junction-kafka-${id}`];
}

const SECRETS = 'docker.json';

/** The volumes' name and the superuser's password go together: a new password needs new volumes. */
function dockerSecrets(dataDir: string): { readonly id: string; readonly password: string } {
  const file = path.join(dataDir, SECRETS);
  mkdirSync(dataDir, { recursive: true });
  if (!existsSync(file)) {
    const made = {
      id: randomBytes(8).toString('hex'),
      password: randomBytes(24).toString('base64url'),
    };
    writeFileSync(file, `${JSON.stringify(made)}\n`, { mode: 0o600 });
  }
  return JSON.parse(readFileSync(file, 'utf8')) as { id: string; password: string };
}
