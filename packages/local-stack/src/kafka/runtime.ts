import path from 'node:path';
import { LocalStackError } from '../local-stack-error.js';
import { findProgram } from '../process/find-program.js';
import { cachedKafkaJars, fetchKafkaJars, KAFKA_VERSION } from './jars.js';
import { findJava } from './java.js';

/** What the broker runs on. */
export interface KafkaRuntime {
  readonly java: string;
  /** The folder of its jars. */
  readonly jars: string;
}

/**
 * Java and the broker's jars, fetched when they are not there yet. Throws one LocalStackError that
 * names everything missing and how to install it.
 */
export async function kafkaRuntime(options: {
  readonly cacheDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}): Promise<KafkaRuntime> {
  const { cacheDir, env } = options;
  const [search, cached] = await Promise.all([findJava(env), cachedKafkaJars(cacheDir)]);
  const maven = findMaven(env);
  const { java } = search;
  if (java !== undefined && cached !== undefined) return { java, jars: cached };
  if (java !== undefined && maven !== undefined) {
    return { java, jars: await fetchKafkaJars({ ...options, maven }) };
  }

  const missing = [];
  if (java === undefined) missing.push(javaMissing(search.tooOld));
  if (cached === undefined && maven === undefined) missing.push(mavenMissing(cacheDir));
  throw new LocalStackError(
    [`Kafka ${KAFKA_VERSION} cannot be run here:`, ...missing, ...REMEDIES].join('\n'),
  );
}

const REMEDIES = [
  'Install what is missing:',
  '  Debian, Ubuntu:  apt-get install -y openjdk-17-jre-headless maven',
  '  macOS:           brew install openjdk@17 maven',
  'or start Docker, or name a running broker: KAFKA_BROKERS=host:9092',
];

const javaMissing = (tooOld: readonly string[]): string =>
  `  Java 17 or newer was not found in JAVA_HOME or on PATH${tooOld.length > 0 ? ` (${tooOld.join(', ')})` : ''}.`;

const mavenMissing = (cacheDir: string): string =>
  `  Maven (mvn), which fetches Kafka once to ${cacheDir}, was not found in MAVEN_HOME or on PATH.`;

function findMaven(env: NodeJS.ProcessEnv): string | undefined {
  const home = env['MAVEN_HOME'];
  const inHome = home ? findProgram('mvn', { PATH: path.join(home, 'bin') }) : undefined;
  return inHome ?? findProgram('mvn', env);
}
