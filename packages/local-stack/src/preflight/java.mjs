import { execFile } from 'node:child_process';
import path from 'node:path';
import { findProgram, isProgram } from './find-program.mjs';

/** The oldest Java that Kafka's broker runs on. */
const JAVA_MIN = 17;

/**
 * A usable java, or what was found instead.
 * @typedef {{ readonly java: string | undefined, readonly tooOld: readonly string[] }} JavaSearch
 */

/**
 * Looks for Java 17 or newer in JAVA_HOME, then on PATH.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<JavaSearch>}
 */
export async function findJava(env) {
  const home = env['JAVA_HOME'];
  const candidates = [home && path.join(home, 'bin', 'java'), findProgram('java', env)];
  /** @type {string[]} */
  const tooOld = [];
  for (const java of candidates) {
    if (!java || !isProgram(java)) continue;
    const version = await versionOf(java, env);
    if (version !== undefined && version >= JAVA_MIN) return { java, tooOld };
    if (version !== undefined) tooOld.push(`${java} is Java ${version}`);
  }
  return { java: undefined, tooOld };
}

/**
 * "1.8" was the name of Java 8. Undefined when it is no Java at all, as the stub on macOS.
 * @param {string} java
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number | undefined>}
 */
function versionOf(java, env) {
  return new Promise((resolve) => {
    const args = ['-XshowSettings:properties', '-version'];
    execFile(java, args, { env }, (error, _, text) => {
      const [, version] = /java\.specification\.version = (?:1\.)?(\d+)/.exec(text) ?? [];
      resolve(error === null && version !== undefined ? Number(version) : undefined);
    });
  });
}
