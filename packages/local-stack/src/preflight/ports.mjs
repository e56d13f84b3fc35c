import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenerOn } from './port-holder.mjs';

const RELEASE_WAIT_MS = 1_500;
export const LOOPBACK = '127.0.0.1';

/**
 * A server that is to listen on a port. `variable` is the environment variable that moves the server elsewhere;
 * `everywhere` says that it listens on all addresses rather than on 127.0.0.1.
 * @typedef {object} PortUse
 * @property {string} server
 * @property {string} variable
 * @property {boolean} [everywhere]
 */

/**
 * Returns why the port cannot be listened on, for the reader; undefined when it can. Waits for a port that another
 * process is just releasing.
 * @param {number} port
 * @param {PortUse} use
 */
export async function portMistake(port, { server, variable, everywhere = false }) {
  const host = everywhere ? undefined : LOOPBACK;
  const end = Date.now() + RELEASE_WAIT_MS;
  for (;;) {
    const code = await refusalOf(port, host);
    if (code === undefined) return undefined;
    if (code !== 'EADDRINUSE' || Date.now() > end) {
      return `Port ${port}, meant for ${server}, ${inWords(code, variable, listenerOn(port))}`;
    }
    await sleep(50);
  }
}

/**
 * Describes the mistake by the error code of an attempt to listen, and what to do.
 * @param {string} code
 * @param {string} variable
 * @param {string} [holder] Who listens on the port.
 */
export const inWords = (code, variable, holder = 'another program') =>
  code === 'EADDRINUSE'
    ? `is in use by ${holder}. Stop it, or set ${variable} to another port.`
    : `cannot be listened on (${code}). Set ${variable} to another port.`;

/**
 * Returns the error code of an attempt to listen on the port; undefined when the attempt worked.
 * @param {number} port
 * @param {string | undefined} host
 * @returns {Promise<string | undefined>}
 */
export async function refusalOf(port, host) {
  const server = net.createServer();
  try {
    server.listen(port, host); // without a host: on every address of both families
    await once(server, 'listening');
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code ?? 'unknown';
  }
  server.close();
  await once(server, 'close');
  return undefined;
}
