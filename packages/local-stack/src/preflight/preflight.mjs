import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { chooseBackends, needed } from './backends.mjs';
import { dataDirMistake, holderOf, inUse } from './data-dir.mjs';
import { findKafka } from './kafka.mjs';
import { portMistake, refusalOf } from './ports.mjs';
import { movedPorts, openedPorts, settingsOf } from './settings.mjs';

/**
 * Everything that keeps `npm start` from starting and can be seen before anything is installed,
 * built or started: each mistake with what to do about it, all of them at once. Changes nothing.
 *
 * The files of this folder run on a fresh clone, so they are JavaScript and import Node's own
 * modules alone. Services judge the rest after the build (check-programs.ts).
 * @param {NodeJS.ProcessEnv} env
 * @param {string} root The checkout.
 * @returns {Promise<readonly string[]>}
 */
export async function startMistakes(env, root) {
  const settings = settingsOf(env, root);
  const mistakes = [nodeMistake(process.versions.node, enginesOf(root)), ...settings.mistakes];
  const { dataDir, ports } = settings;
  const holder = holderOf(dataDir);
  // The process that works on the data also uses the ports: its message alone says what to do.
  if (holder !== undefined) mistakes.push(inUse(dataDir, holder));
  else mistakes.push(dataDirMistake(dataDir), ...(await portMistakes(ports, env)));
  mistakes.push(...FILES.map((variable) => fileMistake(variable, env[variable])));
  mistakes.push(await backendMistake(env));
  return mistakes.filter((mistake) => mistake !== undefined);
}

/**
 * All mistakes in one message.
 * @param {readonly string[]} mistakes
 */
export const inOneMessage = (mistakes) =>
  [
    'Junction cannot start like this:',
    ...mistakes.map((mistake) => `- ${mistake.replaceAll('\n', '\n  ')}`),
  ].join('\n');

/**
 * Variables that name files which the services read at their start. A relative path begins at the current folder
 * for services, too.
 */
const FILES = ['EVENT_TYPES_FILE', 'PROVIDERS_FILE', 'TRUSTED_ISSUERS_FILE', 'WEBHOOK_CA_FILE'];

/**
 * Describes the mistake when this Node is too old.
 * @param {string} version For example 20.19.0.
 * @param {string} engines The range of package.json, for example >=20.19.
 */
export function nodeMistake(version, engines) {
  const [major = 0, minor = 0] = numbersIn(version);
  const [majorMin = 0, minorMin = 0] = numbersIn(engines);
  if (major > majorMin || (major === majorMin && minor >= minorMin)) return undefined;
  return `Junction needs Node ${majorMin}.${minorMin} or newer; this is ${version}. Install a newer one from https://nodejs.org.`;
}

/**
 * Returns the range of Node versions in package.json.
 * @param {string} root
 * @returns {string}
 */
export const enginesOf = (root) =>
  JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).engines.node;

/** @param {string} text */
const numbersIn = (text) => (text.match(/\d+/g) ?? []).map(Number);

/**
 * Describes which ports cannot be listened on, and where all of them would be free.
 * @param {import('./settings.mjs').Ports} ports
 * @param {NodeJS.ProcessEnv} env
 */
export async function portMistakes(ports, env) {
  const mistakes = await takenPorts(ports, env);
  if (mistakes.length === 0) return mistakes;
  for (const { PORT_OFFSET, ports: moved } of movedPorts(env)) {
    const tries = openedPorts(moved, env).map(({ port }) => refusalOf(port, undefined));
    const isFree = (await Promise.all(tries)).every((refusal) => refusal === undefined);
    if (isFree) return [...mistakes, `PORT_OFFSET=${PORT_OFFSET} moves all ports to free ones.`];
  }
  return mistakes;
}

/**
 * @param {import('./settings.mjs').Ports} ports
 * @param {NodeJS.ProcessEnv} env
 */
async function takenPorts(ports, env) {
  // Each number is tried once: two attempts at the same time would disturb each other.
  const byNumber = new Map(openedPorts(ports, env).map((opened) => [opened.port, opened]));
  byNumber.delete(0);
  const mistakes = await Promise.all(
    [...byNumber.values()].map(({ name, port }) => {
      const server = name
        .replace(/_PORT$/, '')
        .toLowerCase()
        .replaceAll('_', ' ');
      const everywhere = name === 'GATEWAY_PORT'; // as its main.ts listens
      return portMistake(port, { server, variable: name, everywhere });
    }),
  );
  return mistakes.filter((mistake) => mistake !== undefined);
}

/**
 * @param {string} variable
 * @param {string | undefined} file
 */
function fileMistake(variable, file) {
  if (!file) return undefined;
  const place = path.resolve(file);
  try {
    accessSync(place, constants.R_OK);
    if (statSync(place).isFile()) return undefined;
    return `${variable}: ${place} is not a file. Name one, or unset the variable.`;
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    return `${variable}: ${place} ${why}. Name a file that can be read, or unset the variable.`;
  }
}

/** @param {NodeJS.ProcessEnv} env */
async function backendMistake(env) {
  const { postgres, kafka } = needed(env);
  if (!postgres && !kafka) return undefined;
  const choice = await chooseBackends(env);
  if ('mistake' in choice) return choice.mistake;
  return kafka && choice.from === 'embedded' ? (await findKafka(env)).mistake : undefined;
}
