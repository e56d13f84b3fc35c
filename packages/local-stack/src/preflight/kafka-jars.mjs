import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseBackends, needed } from './backends.mjs';
import { guardAgainstOurDeath } from './death-guard.mjs';
import { defaultCacheDir, faultIn, findKafka, jarsIn, KAFKA_VERSION } from './kafka.mjs';

const POM = fileURLToPath(new URL('../../kafka/pom.xml', import.meta.url));
const FETCH_MS = 10 * 60_000;
const QUOTED_CHARACTERS_MAX = 1_500;
const CALLED_OFF = 'The start was called off.';

/**
 * @typedef {object} Fetching
 * @property {NodeJS.ProcessEnv} env
 * @property {(line: string) => void} say
 * @property {AbortSignal | undefined} [signal] Calls it off.
 */

/**
 * Fetches the jars where a start on this machine runs a Kafka of its own and the jars were never fetched. Returns why
 * that failed; undefined when it worked or there was nothing to fetch. Other obstacles are for the start to name.
 * @param {Fetching} fetching
 */
export async function fetchMissingKafka(fetching) {
  const { env } = fetching;
  const cacheDir = defaultCacheDir(env);
  if (!needed(env).kafka || existsSync(jarsIn(cacheDir))) return undefined;
  const choice = await chooseBackends(env);
  if (!('from' in choice) || choice.from === 'docker') return undefined;
  const { java, maven } = await findKafka(env, cacheDir);
  return java && maven ? fetchKafkaJars({ ...fetching, cacheDir, maven }) : undefined;
}

/**
 * Fetches the jars with Maven and verifies them: aside, then renamed, so that parallel first starts do no harm. Returns
 * why that failed: Maven did, or a jar is not the listed one.
 * @param {Fetching & { readonly cacheDir: string, readonly maven: string }} fetching
 * @returns {Promise<string | undefined>}
 */
export async function fetchKafkaJars(fetching) {
  const home = path.dirname(jarsIn(fetching.cacheDir));
  mkdirSync(fetching.cacheDir, { recursive: true });
  const aside = mkdtempSync(path.join(fetching.cacheDir, '.kafka-'));
  const cleanUp = () => rmSync(aside, { recursive: true, force: true });
  process.once('exit', cleanUp); // an interrupted program may exit in the middle
  try {
    fetching.say(`Fetching Kafka ${KAFKA_VERSION} with Maven (46 jars, 44 MB, once), to ${home} …`);
    const failure = await copyWithMaven(path.join(aside, 'libs'), fetching);
    if (failure !== undefined) return failure;
    const fault = await faultIn(path.join(aside, 'libs'));
    if (fault) return `Maven gave another Kafka than the listed one: ${fault}.`;
    await putInPlace(aside, home);
    return undefined;
  } finally {
    cleanUp();
    process.off('exit', cleanUp);
  }
}

/**
 * Returns why Maven failed.
 * @param {string} folder
 * @param {Fetching & { readonly maven: string }} fetching
 */
async function copyWithMaven(folder, { maven, env, signal }) {
  const args = [
    '--quiet',
    '--batch-mode',
    `--file=${POM}`,
    'dependency:copy-dependencies',
    '-DincludeScope=runtime',
    `-DoutputDirectory=${folder}`,
  ];
  const overdue = AbortSignal.timeout(FETCH_MS);
  const off = signal === undefined ? overdue : AbortSignal.any([signal, overdue]);
  if (signal?.aborted) return CALLED_OFF;
  // mvn is a script around java: both are one group, which is ended as a whole.
  const child = spawn(maven, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said = `${said}${text}`.slice(-QUOTED_CHARACTERS_MAX);
    });
  }
  const endGuard = child.pid && guardAgainstOurDeath(-child.pid, 'SIGKILL');
  const end = () => killGroup(child.pid);
  off.addEventListener('abort', end, { once: true });
  const [code] = await once(child, 'close').catch((error) => [`${error.message}`]);
  off.removeEventListener('abort', end);
  if (endGuard) endGuard();
  if (code === 0) return undefined;
  if (signal?.aborted) return CALLED_OFF;
  if (overdue.aborted) return `Maven did not fetch Kafka within ${FETCH_MS / 60_000} minutes.`;
  return `Fetching Kafka ${KAFKA_VERSION} failed (${maven}: ${code}):\n${said.trim()}`;
}

/** @param {number | undefined} leader */
function killGroup(leader) {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

/**
 * @param {string} aside
 * @param {string} home
 */
async function putInPlace(aside, home) {
  const isWhole = async () => (await faultIn(path.join(home, 'libs'))) === undefined;
  if (existsSync(home)) {
    if (await isWhole()) return; // another start was faster
    const replaced = `${aside}.replaced`;
    renameSync(home, replaced);
    rmSync(replaced, { recursive: true, force: true });
  }
  try {
    renameSync(aside, home);
  } catch (error) {
    if (!(await isWhole())) throw error; // else as above
  }
}
