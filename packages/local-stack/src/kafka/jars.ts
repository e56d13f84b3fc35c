import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LocalStackError } from '../local-stack-error.js';
import { faultIn, KAFKA_VERSION } from '../preflight/kafka.mjs';
import { runGuarded } from '../process/guarded-process.js';

const FILES = path.join(import.meta.dirname, '..', '..', 'kafka');
const FETCH_MS = 10 * 60_000;

/**
 * Fetches the jars with Maven, verifies them and gives their folder. Aside, then renamed: parallel
 * first starts do no harm. Throws LocalStackError when Maven fails or a jar is not the listed one.
 */
export async function fetchKafkaJars(options: {
  readonly cacheDir: string;
  readonly maven: string;
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}): Promise<string> {
  const { cacheDir, say } = options;
  const home = path.join(cacheDir, `kafka-${KAFKA_VERSION}`);
  mkdirSync(cacheDir, { recursive: true });
  const aside = mkdtempSync(path.join(cacheDir, '.kafka-'));
  try {
    say(`Fetching Apache Kafka ${KAFKA_VERSION} (46 jars, 44 MB) with Maven, once, to ${home} …`);
    await resolveWithMaven(aside, options);
    const fault = await faultIn(path.join(aside, 'libs'));
    if (fault) throw new LocalStackError(`Maven gave another Kafka than the listed one: ${fault}.`);
    await putInPlace(aside, home);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return path.join(home, 'libs');
}

async function resolveWithMaven(
  folder: string,
  { maven, env, signal }: Parameters<typeof fetchKafkaJars>[0],
): Promise<void> {
  const overdue = AbortSignal.timeout(FETCH_MS);
  try {
    await runGuarded(`Fetching Kafka ${KAFKA_VERSION}`, {
      command: maven,
      args: [
        '--quiet',
        '--batch-mode',
        `--file=${path.join(FILES, 'pom.xml')}`,
        'dependency:copy-dependencies',
        '-DincludeScope=runtime',
        `-DoutputDirectory=${path.join(folder, 'libs')}`,
      ],
      env,
      log: path.join(folder, 'maven.log'),
      stopSignal: 'SIGKILL',
      graceMs: 2_000,
      group: true, // mvn is a script around java
      signal: signal ? AbortSignal.any([signal, overdue]) : overdue,
    });
  } catch (cause) {
    if (!overdue.aborted) throw cause;
    const message = `Maven did not fetch Kafka within ${FETCH_MS / 60_000} minutes.`;
    throw new LocalStackError(message, { cause });
  }
}

async function putInPlace(aside: string, home: string): Promise<void> {
  if (existsSync(home)) {
    if ((await faultIn(path.join(home, 'libs'))) === undefined) return; // another start was faster
    const replaced = `${aside}.replaced`;
    renameSync(home, replaced);
    rmSync(replaced, { recursive: true, force: true });
  }
  try {
    renameSync(aside, home);
  } catch (error) {
    if ((await faultIn(path.join(home, 'libs'))) !== undefined) throw error; // else as above
  }
}
