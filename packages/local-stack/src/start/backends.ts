import { type BackendName, type Backends, startBackends } from '../backends.js';
import { createServiceDatabase } from '../postgres/service-database.js';
import { needed } from '../preflight/backends.mjs';
import type { Ports } from '../preflight/settings.mjs';
import { inWords, type ServerExit } from '../process/running-server.js';
import { type Secrets, type ServiceName, secretsOf } from './secrets.js';
import type { Child, Supervisor } from './supervisor.js';

const DATABASE_VARIABLES: Readonly<Record<ServiceName, string>> = {
  auth: 'AUTH_DATABASE_URL',
  integrations: 'INTEGRATIONS_DATABASE_URL',
  webhooks: 'WEBHOOKS_DATABASE_URL',
};

export interface OpenBackends {
  readonly env: NodeJS.ProcessEnv;
  readonly dataDir: string;
  readonly ports: Ports;
  readonly children: Supervisor;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The servers that the services depend on, and the secrets of the data folder. */
export interface Ground {
  readonly databaseUrls: Readonly<Record<ServiceName, string>>;
  readonly kafkaBrokers: string;
  readonly secrets: Secrets;
}

/** Postgres and Kafka under the supervisor, and a database with a role of its own for each service. */
export async function openBackends(options: OpenBackends): Promise<Ground> {
  const { env, dataDir, ports, children, say, signal } = options;
  const { postgres, kafka } = needed(env);
  const missing = [...(postgres ? ['Postgres'] : []), ...(kafka ? ['Kafka'] : [])];
  if (missing.length > 0) say(`Starting ${missing.join(' and ')} …`);
  const backends = await startBackends({
    dataDir,
    env,
    say,
    signal,
    postgresPort: ports.POSTGRES_PORT,
    kafkaPort: ports.KAFKA_PORT,
  });
  for (const child of foundations(backends)) await children.supervise(child);

  // The folder is locked by now: nobody else makes its secrets at the same moment.
  const secrets = secretsOf(dataDir);
  const databaseUrls = await openDatabases(backends.postgres?.adminUrl, env, secrets);
  return { databaseUrls, kafkaBrokers: backends.kafkaBrokers, secrets };
}

/** Makes children of the backends, which run already: the supervisor only restarts them. */
function foundations(backends: Backends): readonly Child[] {
  const onExit = new Map<BackendName, (exit: ServerExit) => void>();
  backends.onExit((name, exit) => onExit.get(name)?.(exit));

  return (['postgres', 'kafka'] as const).map((name) => {
    let starts = 0;
    return {
      name,
      foundation: true,
      async start() {
        const exited = new Promise<string>((resolve) => {
          onExit.set(name, (exit) => resolve(inWords(exit)));
        });
        if (starts++ > 0) await backends.restart(name);
        return { pid: backends.pids()[name], exited, stop: () => backends.stop() };
      },
    };
  });
}

/** Makes what the environment does not name. */
export async function openDatabases(
  adminUrl: string | undefined,
  env: NodeJS.ProcessEnv,
  secrets: Secrets,
): Promise<Ground['databaseUrls']> {
  const urls: [ServiceName, string][] = [];
  for (const [name, variable] of Object.entries(DATABASE_VARIABLES) as [ServiceName, string][]) {
    const given = env[variable];
    const database = { database: name, role: name, password: secrets.databases[name] };
    urls.push([name, given || (await createServiceDatabase(adminUrl ?? '', database))]);
  }
  return Object.fromEntries(urls) as Ground['databaseUrls'];
}
