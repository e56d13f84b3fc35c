import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from './find-program.mjs';
import { findJava } from './java.mjs';

/** The broker's version: as in kafka/pom.xml, whose jars kafka/jars.sha256 lists. */
export const KAFKA_VERSION = '4.3.1';

const LISTED_JARS = fileURLToPath(new URL('../../kafka/jars.sha256', import.meta.url));

/**
 * The programs and jars on this machine to run a broker with; `mistake` says what is missing and how to install it.
 * @typedef {object} KafkaSearch
 * @property {string | undefined} java
 * @property {string | undefined} jars The folder of the verified jars.
 * @property {string | undefined} maven
 * @property {string | undefined} mistake
 */

/**
 * Looks for Java, the broker's jars, and Maven, which fetches the jars once.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} cacheDir
 * @returns {Promise<KafkaSearch>}
 */
export async function findKafka(env, cacheDir = defaultCacheDir(env)) {
  const [{ java, tooOld }, jars] = await Promise.all([findJava(env), cachedKafkaJars(cacheDir)]);
  const maven = findMaven(env);
  const missing = [
    ...(java === undefined ? [javaMissing(tooOld)] : []),
    ...(jars === undefined && maven === undefined ? [mavenMissing(cacheDir)] : []),
  ];
  const words = [`Kafka ${KAFKA_VERSION} cannot be run here:`, ...missing, ...REMEDIES];
  return { java, jars, maven, mistake: missing.length > 0 ? words.join('\n') : undefined };
}

const REMEDIES = [
  'Install what is missing:',
  '  Debian, Ubuntu:  apt-get install -y openjdk-17-jre-headless maven',
  '  macOS:           brew install openjdk@17 maven',
  'or start Docker, or name a running broker: KAFKA_BROKERS=host:9092',
];

/** @param {readonly string[]} tooOld */
const javaMissing = (tooOld) =>
  `  Java 17 or newer was not found in JAVA_HOME or on PATH${tooOld.length > 0 ? ` (${tooOld.join(', ')})` : ''}.`;

/** @param {string} cacheDir */
const mavenMissing = (cacheDir) =>
  `  Maven (mvn), which fetches Kafka once to ${cacheDir}, was not found in MAVEN_HOME or on PATH.`;

/** @param {NodeJS.ProcessEnv} env */
function findMaven(env) {
  const home = env['MAVEN_HOME'];
  const inHome = home ? findProgram('mvn', { PATH: path.join(home, 'bin') }) : undefined;
  return inHome ?? findProgram('mvn', env);
}

/**
 * Where fetched jars are kept when nobody says otherwise; shared by all checkouts of a user.
 * @param {NodeJS.ProcessEnv} env
 */
export const defaultCacheDir = (env) =>
  path.join(env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'junction');

/**
 * The folder of the jars, once they are fetched.
 * @param {string} cacheDir
 */
export const jarsIn = (cacheDir) => path.join(cacheDir, `kafka-${KAFKA_VERSION}`, 'libs');

/**
 * The folder of the verified jars, or undefined when they have to be fetched.
 * @param {string} cacheDir
 */
async function cachedKafkaJars(cacheDir) {
  const jars = jarsIn(cacheDir);
  return existsSync(jars) && (await faultIn(jars)) === undefined ? jars : undefined;
}

/**
 * Returns the fault of these jars; undefined when they are exactly the listed ones.
 * @param {string} folder
 */
export async function faultIn(folder) {
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

const listedJars = () =>
  new Map(
    readFileSync(LISTED_JARS, 'utf8')
      .split('\n')
      .map((line) => line.split('  '))
      .flatMap(([hash, name]) => (hash && name ? [/** @type {const} */ ([name, hash])] : [])),
  );
