import path from 'node:path';
import { needed } from './backends.mjs';

const PORT_MAX = 65_535;

/**
 * Every port `npm start` opens: the variable that moves it, and where it is otherwise, plus PORT_OFFSET. No two have
 * the same last two digits, so that starts whose offsets are different multiples of 100 never meet.
 */
const PORTS = {
  GATEWAY_PORT: 8080,
  KAFKA_PORT: 9092,
  POSTGRES_PORT: 5433,
  ACME_PORT: 8090,
  GLOBEX_PORT: 8093,
  DEV_MAIL_PORT: 8091,
  DEV_SMTP_PORT: 1025,
  AUTH_HTTP_PORT: 7001,
  INTEGRATIONS_HTTP_PORT: 7002,
  WEBHOOKS_HTTP_PORT: 7003,
  AUTH_GRPC_PORT: 7011,
  INTEGRATIONS_GRPC_PORT: 7012,
  WEBHOOKS_GRPC_PORT: 7013,
};

const OFFSET_MAX = PORT_MAX - Math.max(...Object.values(PORTS));

/** @typedef {keyof typeof PORTS} PortName */
/** @typedef {Readonly<Record<PortName, number>>} Ports */

/**
 * @typedef {object} Settings
 * @property {Ports} ports
 * @property {string} dataDir Absolute. Data, logs, secrets, pids and endpoints live below it.
 */

/**
 * The ports and the data folder of the environment, and what is wrong with them. A port of 0 asks
 * for any free one; an empty variable is one that is not set. PORT_OFFSET moves all ports that no variable names.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} root
 * @returns {Settings & { readonly mistakes: readonly string[] }}
 */
export function settingsOf(env, root) {
  /** @type {string[]} */
  const mistakes = [];
  const offset = wholeNumber(env['PORT_OFFSET'] || '0', OFFSET_MAX);
  if (offset === undefined) {
    mistakes.push(
      `PORT_OFFSET is "${env['PORT_OFFSET']}"; it must be a whole number from 0 to ${OFFSET_MAX}.`,
    );
  }
  const ports = eachPort((name) => {
    const text = env[name];
    if (!text) return PORTS[name] + (offset ?? 0);
    const port = wholeNumber(text, PORT_MAX);
    if (port !== undefined) return port;
    mistakes.push(
      `${name} is "${text}"; it must be a whole number from 1 to ${PORT_MAX}, or 0 for any free port.`,
    );
    return 0;
  });
  mistakes.push(...sharedPorts(ports, env));
  const dataDir = path.resolve(root, env['JUNCTION_DATA_DIR'] || '.junction');
  return { ports, dataDir, mistakes };
}

/**
 * Returns the ports at each of the next twenty offsets that are multiples of 100, with the setting.
 * @param {NodeJS.ProcessEnv} env
 */
export function movedPorts(env) {
  const first = Math.floor(Number(env['PORT_OFFSET'] || '0') / 100) + 1;
  return Array.from({ length: 20 }, (_, index) => String((first + index) * 100))
    .map((PORT_OFFSET) => ({ PORT_OFFSET, ...settingsOf({ ...env, PORT_OFFSET }, '') }))
    .filter(({ mistakes }) => mistakes.length === 0);
}

/**
 * @param {string} text
 * @param {number} max
 */
const wholeNumber = (text, max) =>
  /^\d{1,5}$/.test(text) && Number(text) <= max ? Number(text) : undefined;

/**
 * The ports that are opened here: those of servers which the environment names are not.
 * @param {Ports} ports
 * @param {NodeJS.ProcessEnv} env
 */
export function openedPorts(ports, env) {
  const { postgres, kafka } = needed(env);
  return portNames
    .filter((name) => (postgres || name !== 'POSTGRES_PORT') && (kafka || name !== 'KAFKA_PORT'))
    .map((name) => ({ name, port: ports[name] }));
}

/**
 * @param {Ports} ports
 * @param {NodeJS.ProcessEnv} env
 * @returns {readonly string[]}
 */
function sharedPorts(ports, env) {
  /** @type {Map<number, string[]>} */
  const users = new Map();
  for (const { name, port } of openedPorts(ports, env)) {
    if (port !== 0) users.set(port, [...(users.get(port) ?? []), name]);
  }
  return [...users].flatMap(([port, names]) =>
    names.length > 1
      ? [
          `${names.join(' and ')} are ${names.length === 2 ? 'both' : 'all'} ${port}; give each a port of its own.`,
        ]
      : [],
  );
}

/** Variables that would lead such a start to servers of others, or off its ports. */
const ITS_OWN = {
  AUTH_DATABASE_URL: undefined,
  INTEGRATIONS_DATABASE_URL: undefined,
  WEBHOOKS_DATABASE_URL: undefined,
  KAFKA_BROKERS: undefined,
  EVENT_TYPES_FILE: undefined,
  PROVIDERS_FILE: undefined,
  TRUSTED_ISSUERS_FILE: undefined,
  SMTP_URL: undefined,
  PORT_OFFSET: undefined,
};

/**
 * The environment of a start that meets nobody else: free ports, its own data, its own servers, the
 * development providers among them.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} dataDir
 * @returns {NodeJS.ProcessEnv}
 */
export const apart = (env, dataDir) => ({
  ...env,
  ...ITS_OWN,
  ...eachPort(() => '0'),
  JUNCTION_DATA_DIR: dataDir,
});

const portNames = /** @type {readonly PortName[]} */ (Object.keys(PORTS));

/**
 * @template T
 * @param {(name: PortName) => T} make
 */
function eachPort(make) {
  const made = portNames.map((name) => [name, make(name)]);
  return /** @type {Readonly<Record<PortName, T>>} */ (Object.fromEntries(made));
}
