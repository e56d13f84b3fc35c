import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { migrate } from '@junction/eventsourcing/postgres';
import { type Backends, startBackends } from '@junction/local-stack';
import { type KafkaPort, kafkaClient, silentLog } from '@junction/messaging';
import { Pool } from 'pg';
import { CHAOS_TOPICS, DEAD_LETTER_TOPICS } from '../domain.js';
import { chaosMigrations } from '../migrations.js';
import { MEMBERS, type Member } from '../schedule.js';
import { type MemberProcess, memberProcess } from './member-process.js';

const TRAVERSABLE = 0o755;
const CONNECTIONS_MAX = 4;
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 60_000;

/** Folders and files of a run. */
export interface Places {
  readonly dir: string;
  readonly stackDir: string;
  readonly logsDir: string;
  readonly historiesDir: string;
}

/** Servers and processes at work, and a way to look at them. */
export interface Stage {
  readonly places: Places;
  readonly backends: Backends;
  readonly members: ReadonlyMap<Member, MemberProcess>;
  readonly pool: Pool;
  readonly kafka: KafkaPort;
  /** Lets the writers finish what they have begun, and end. */
  readonly endFile: string;
  /** Processes and servers that ended without being asked to, in words. */
  readonly unasked: readonly string[];
  /** Ends the processes and servers. Files that they wrote stay. */
  close(): Promise<void>;
}

export const placesIn = (dir: string): Places => ({
  dir,
  stackDir: path.join(dir, 'stack'),
  logsDir: path.join(dir, 'logs'),
  historiesDir: path.join(dir, 'histories'),
});

/**
 * Starts Postgres, Kafka and every process, on free ports. The servers are set up as for production, and
 * not as for tests: a Postgres that may lose its last commits in a crash would prove nothing.
 */
export async function openStage(
  dir: string,
  seed: number,
  {
    env,
    signal,
    say,
  }: { env: NodeJS.ProcessEnv; signal: AbortSignal; say: (line: string) => void },
): Promise<Stage> {
  const places = placesIn(dir);
  for (const folder of [places.stackDir, places.logsDir, places.historiesDir]) {
    mkdirSync(folder, { recursive: true });
  }
  chmodSync(dir, TRAVERSABLE); // as root, Postgres runs as somebody else
  const unasked: string[] = [];
  const backends = await startBackends({
    dataDir: places.stackDir,
    env: { ...env, ...OWN_SERVERS },
    say,
    signal,
  });
  const databaseUrl = backends.postgres?.adminUrl ?? '';
  const pool = lookingPool(databaseUrl);
  const brokers = backends.kafkaBrokers;
  const kafka = kafkaClient({ brokers: [brokers], clientId: 'chaos', log: silentLog });
  const members = new Map<Member, MemberProcess>();
  const endFile = path.join(dir, 'end');
  const close = async (): Promise<void> => {
    await Promise.all([...members.values()].map((member) => member.kill()));
    await pool.end();
    await backends.stop();
  };
  try {
    await migrate(databaseUrl, chaosMigrations);
    await kafka.admin().ensureTopics([...CHAOS_TOPICS, ...DEAD_LETTER_TOPICS]);
    signal.throwIfAborted();
    const common = { seed, databaseUrl, brokers, endFile };
    for (const name of MEMBERS) {
      const historyFile = path.join(places.historiesDir, `${name}.jsonl`);
      const onUnasked = (how: string) => void unasked.push(how);
      const { logsDir } = places;
      members.set(name, memberProcess({ ...common, name, historyFile }, { logsDir, onUnasked }));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { places, backends, members, pool, kafka, endFile, unasked, close };
}

/** Processes of this machine, that can be killed, whatever this shell is set up for. */
const OWN_SERVERS = {
  JUNCTION_BACKENDS: 'embedded',
  AUTH_DATABASE_URL: '',
  INTEGRATIONS_DATABASE_URL: '',
  WEBHOOKS_DATABASE_URL: '',
  KAFKA_BROKERS: '',
};

function lookingPool(connectionString: string): Pool {
  const pool = new Pool({
    connectionString,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
  });
  // An 'error' without a listener would end this process; the next query reports the failure anyway.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
