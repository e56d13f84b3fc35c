import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { defaultCacheDir } from '../preflight/kafka.mjs';
import { markOf, writeMark } from '../preflight/process-identity.mjs';
import type { GuardedProcess } from '../process/guarded-process.js';
import { runGuarded, spawnGuarded } from '../process/guarded-process.js';
import { freePort, portFor } from '../process/ports.js';
import { waitForLeftover, waitUntilReady } from '../process/readiness.js';
import type { KafkaServer } from '../process/running-server.js';
import { kafkaAnswers } from './admin.js';
import type { KafkaRuntime } from './runtime.js';
import { kafkaRuntime } from './runtime.js';
import {
  asProperties,
  JVM_OPTIONS,
  type KafkaListener,
  type KafkaLogins,
  type KafkaSettings,
  kafkaSettings,
  withListener,
  withLogins,
} from './settings.js';

// 1.6 s as a rule, now and then 8 s, and 5 s more after a SIGKILL.
const GRACE_MS = 8_000;

/** The options of a Kafka broker. */
export interface KafkaOptions {
  readonly dataDir: string;
  /** A free one when absent. */
  readonly port?: number | undefined;
  /** Users whom ACLs bind (`allowInKafka`); absent: everybody may do everything. */
  readonly logins?: KafkaLogins | undefined;
  /** Other ways in, for tests of clients. */
  readonly listeners?: readonly KafkaListener[];
  /** Folder of the jars; when absent, a folder of the user's that all checkouts use. */
  readonly cacheDir?: string | undefined;
  /** Environment in which Java and Maven are looked for: JAVA_HOME, MAVEN_HOME, PATH. */
  readonly env?: NodeJS.ProcessEnv;
  readonly say?: (line: string) => void;
  /** Calls the start off, or stops the broker. */
  readonly signal?: AbortSignal | undefined;
}

/** Starts Kafka on a data folder and waits until it accepts requests. Throws LocalStackError. */
export async function startKafka(options: KafkaOptions): Promise<KafkaServer> {
  const { env = process.env, say = () => undefined, signal } = options;
  const cacheDir = options.cacheDir ?? defaultCacheDir(env);
  const home = path.resolve(options.dataDir, 'kafka');
  mkdirSync(home, { recursive: true, mode: 0o700 }); // records are nobody else's to read
  await waitForLeftover(path.join(home, 'process'), 'Kafka', say, signal);
  const port = await portFor(options.port, { server: 'Kafka', variable: 'KAFKA_PORT' });
  const runtime = await kafkaRuntime({ cacheDir, env, say, signal });
  await format(home, runtime, signal);

  const log = logOf(home);
  const place = { data: path.join(home, 'data'), port, controllerPort: await freePort() };
  const settings = settingsOf(place);
  const { logins, listeners = [] } = options;
  const own = logins === undefined ? settings : withLogins(settings, logins);
  const wanted = listeners.reduce(withListener, own);
  const server = spawned(home, runtime, wanted, signal);
  const brokers = `127.0.0.1:${port}`;
  try {
    const answers = () => kafkaAnswers(brokers);
    await waitUntilReady({ ...server, server: 'Kafka', log, answers, say });
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { port, brokers, ...server };
}

/** Aside, then renamed: half-made storage is never taken for a whole one. */
async function format(
  home: string,
  runtime: KafkaRuntime,
  signal: AbortSignal | undefined,
): Promise<void> {
  const data = path.join(home, 'data');
  if (existsSync(path.join(data, 'meta.properties'))) return;
  const aside = `${data}.${process.pid}`;
  const settings = path.join(home, 'format.properties');
  writeFileSync(settings, asProperties(settingsOf({ data: aside, port: 1, controllerPort: 2 })));
  try {
    const tool = ['kafka.tools.StorageTool', 'format', '-t', clusterId(), '-c', settings];
    const command = { ...javaProcess(home, runtime, tool), signal, graceMs: 2_000 };
    await runGuarded("Making Kafka's storage", { ...command, stopSignal: 'SIGKILL' });
    renameSync(aside, data);
  } finally {
    rmSync(aside, { recursive: true, force: true });
    rmSync(settings, { force: true });
  }
}

function spawned(
  home: string,
  runtime: KafkaRuntime,
  settings: KafkaSettings,
  signal: AbortSignal | undefined,
): GuardedProcess {
  const file = path.join(home, 'server.properties');
  writeFileSync(file, asProperties(settings));
  const command = javaProcess(home, runtime, ['kafka.Kafka', file]);
  const server = spawnGuarded({ ...command, stopSignal: 'SIGTERM', graceMs: GRACE_MS, signal });
  const mark = markOf(server.pid);
  if (mark) writeMark(path.join(home, 'process'), mark);
  return server;
}

/** Ports change freely between starts: the voters are read from here. */
function settingsOf(place: { data: string; port: number; controllerPort: number }): KafkaSettings {
  const address = `127.0.0.1:${place.port}`;
  return kafkaSettings({ ...place, listen: address, advertised: address });
}

const javaProcess = (home: string, { java, jars }: KafkaRuntime, args: readonly string[]) => ({
  command: java,
  args: ['-cp', path.join(jars, '*'), ...JVM_OPTIONS, ...args],
  cwd: home,
  log: logOf(home),
});

const logOf = (home: string): string => path.join(home, 'kafka.log');

/** 16 bytes in base64url. StorageTool reads one that begins with '-' as an option. */
function clusterId(): string {
  const id = randomBytes(16).toString('base64url');
  return id.startsWith('-') ? `0${id.slice(1)}` : id;
}
