import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { LocalStackError } from '../local-stack-error.js';
import { runGuarded } from '../process/guarded-process.js';

/** The broker's version: as in kafka/pom.xml, whose jars kafka/jars.sha256 lists. */
export const KAFKA_VERSION = '4.3.1';

const FILES = path.join(import.meta.dirname, '..', '..', 'kafka');
const FETCH_MS = 10 * 60_000;

/** Where fetched jars are kept when nobody says otherwise; shared by all checkouts of a user. */
export const defaultCacheDir = (env: NodeJS.ProcessEnv): string =>
  path.join(env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'junction');

/** The folder of the verified jars, or undefined when they have to be fetched. */
export async function cachedKafkaJars(cacheDir: string): Promise<string | undefined> {
  const jars = path.join(cacheDir, `kafka-${KAFKA_VERSION}`, 'libs');
  return existsSync(jars) && (await faultIn(jars)) === undefined ? jars : undefined;
}

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

/** What is wrong with these jars; undefined when they are exactly the listed ones. */
export async function faultIn(folder: string): Promise<string | undefined> {
  const listed = listedJars();
  const found = (await readdir(folder)).filter((name) => name.endsWith('.jar'));
  const extra = found.find((name) => !listed.has(name));
  if (extra !== undefined) return `${extra} is not listed`;
  for (const [name, expected] of listed) {
    if (!found.includes(name)) return `${name} is missing`;
    const hash = createHash('sha256').update(await readFile(path.join(folder, name)));
    if (hash.digest('hex') !== expected) return `${name} has another SHA-256`;
  }
  return undefined;
}

const listedJars = (): ReadonlyMap<string, string> =>
  new Map(
    readFileSync(path.join(FILES, 'jars.sha256'), 'utf8')
      .split('\n')
      .map((line) => line.split('  '))
      .flatMap(([hash, name]) => (hash && name ? [[name, hash] as const] : [])),
  );
