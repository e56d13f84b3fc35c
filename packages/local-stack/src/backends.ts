import { startKafka } from './kafka/kafka.js';
import { LocalStackError } from './local-stack-error.js';
import { startPostgres } from './postgres/postgres.js';
import { chooseBackends, needed } from './preflight/backends.mjs';
import { lockData } from './process/data-lock.js';
import type { Restartable } from './process/restartable.js';
import { restartable } from './process/restartable.js';
import type { KafkaServer, PostgresServer, ServerExit } from './process/running-server.js';

/** The servers a stack may run. */
export type BackendName = 'postgres' | 'kafka';

/** The options for the servers of the stack. */
export interface BackendOptions {
  readonly dataDir: string;
  readonly cacheDir?: string;
  /** Free ones when absent. */
  readonly postgresPort?: number;
  readonly kafkaPort?: number;
  /**
   * Environment of the start. Servers that it names are not started: AUTH_, INTEGRATIONS_ and
   * WEBHOOKS_DATABASE_URL, and KAFKA_BROKERS. JUNCTION_BACKENDS (embedded or docker) says how the others are run;
   * without it, a running Docker engine decides.
   */
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  /** Whether the data may be lost: faster, and with room for many connections. */
  readonly ephemeral?: boolean;
  /** Calls the start off. Servers that run by then are stopped by `stop`. */
  readonly signal?: AbortSignal;
}

/** Postgres and Kafka, answering. */
export interface Backends {
  /** Absent when the environment names all three databases. */
  readonly postgres: Pick<PostgresServer, 'adminUrl' | 'urlOf' | 'port'> | undefined;
  /** Brokers in the form of KAFKA_BROKERS: from the environment, or our own. */
  readonly kafkaBrokers: string;
  /** The processes that run now; none for containers and for what the environment names. */
  pids(): Partial<Record<BackendName, number>>;
  /** Calls the listener when a server ended without being asked to. Such a server stays down until `restart`. */
  onExit(listener: (name: BackendName, exit: ServerExit) => void): void;
  /** Starts a server again on the same port and data. Throws LocalStackError. */
  restart(name: BackendName): Promise<void>;
  /** Ends everything that was started, and gives the data free. */
  stop(): Promise<void>;
}

/**
 * Starts what the environment does not name: in Docker when an engine answers, otherwise as
 * processes of our own. Throws LocalStackError, with everything stopped again.
 */
export async function startBackends(options: BackendOptions): Promise<Backends> {
  const lock = lockData(options.dataDir);
  try {
    const started = await startMissing(options);
    const release = () => lock.release();
    const backends = backendsOf(started, options.env['KAFKA_BROKERS'] ?? '', release);
    if (options.signal?.aborted !== true) return backends;
    await backends.stop();
    throw new LocalStackError('The start was called off.');
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface Started {
  readonly postgres: Restartable<PostgresServer> | undefined;
  readonly kafka: Restartable<KafkaServer> | undefined;
}

async function startMissing(options: BackendOptions): Promise<Started> {
  const { env, say } = options;
  if (!needed(env).postgres && !needed(env).kafka) return { postgres: undefined, kafka: undefined };
  const choice = await chooseBackends(env);
  if ('mistake' in choice) throw new LocalStackError(choice.mistake);
  if (choice.from === 'embedded') return startBoth(options, EMBEDDED);

  say('A Docker engine answers: starting postgres:18 and apache/kafka:4.3.1 there …');
  try {
    return await startBoth(options, await containers());
  } catch (error) {
    if (env['JUNCTION_BACKENDS'] || error instanceof LocalStackError) throw error;
    const [reason] = String(error).split('\n');
    say(`Docker could not start them (${reason}); starting the packaged ones instead.`);
    return startBoth(options, EMBEDDED);
  }
}

const EMBEDDED = { postgres: startPostgres, kafka: startKafka };

/** Loaded with an engine alone: testcontainers takes a third of a second and 40 MB. */
async function containers(): Promise<typeof EMBEDDED> {
  const { startPostgresContainer, startKafkaContainer } = await import('./docker/servers.js');
  return { postgres: startPostgresContainer, kafka: startKafkaContainer };
}

/** Starts both servers at once. When one of them fails, the other is stopped. */
async function startBoth(options: BackendOptions, start: typeof EMBEDDED): Promise<Started> {
  const { env, say, dataDir, cacheDir, ephemeral = false, postgresPort, kafkaPort } = options;
  const common = { dataDir, ephemeral, say, env, cacheDir, connectionsMax: ephemeral ? 300 : 200 };
  const { signal } = options;
  const [postgres, kafka] = await Promise.allSettled([
    needed(env).postgres
      ? restartable(postgresPort, signal, (at) => start.postgres({ ...common, ...at }))
      : undefined,
    needed(env).kafka
      ? restartable(kafkaPort, signal, (at) => start.kafka({ ...common, ...at }))
      : undefined,
  ]);
  if (postgres.status === 'fulfilled' && kafka.status === 'fulfilled') {
    return { postgres: postgres.value, kafka: kafka.value };
  }
  if (postgres.status === 'fulfilled') await postgres.value?.stop();
  if (kafka.status === 'fulfilled') await kafka.value?.stop();
  throw problemOf([postgres, kafka]);
}

/** Puts all problems into one message, so that curing the first does not merely reveal the second. */
function problemOf(results: readonly PromiseSettledResult<unknown>[]): unknown {
  const reasons = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason] : [],
  );
  const [first] = reasons;
  const isForeseen = reasons.every((reason) => reason instanceof LocalStackError);
  if (reasons.length < 2 || !isForeseen) return first;
  return new LocalStackError(reasons.map((reason) => reason.message).join('\n'));
}

function backendsOf({ postgres, kafka }: Started, brokers: string, release: () => void): Backends {
  const servers = { postgres, kafka };
  return {
    postgres: postgres?.current(),
    kafkaBrokers: kafka?.current().brokers ?? brokers,
    pids: () => {
      const pids = { postgres: postgres?.current().pid, kafka: kafka?.current().pid };
      return Object.fromEntries(Object.entries(pids).filter(([, pid]) => pid !== undefined));
    },
    onExit(listener) {
      postgres?.onExit((exit) => listener('postgres', exit));
      kafka?.onExit((exit) => listener('kafka', exit));
    },
    restart: async (name) => servers[name]?.restart(),
    async stop() {
      await Promise.all([postgres?.stop(), kafka?.stop()]);
      release();
    },
  };
}
