import { existsSync } from 'node:fs';
import http from 'node:http';
import { homedir } from 'node:os';
import path from 'node:path';

const PING_MS = 1_500;

/**
 * Whether a Docker engine answers. Quick where there is none: a client alone is not asked.
 * @param {NodeJS.ProcessEnv} env
 */
export async function dockerAnswers(env) {
  for (const address of addresses(env)) {
    if (await pings(address)) return true;
  }
  return false;
}

/** @typedef {{ readonly socketPath: string } | { readonly host: string, readonly port: number }} Address */

/**
 * Where testcontainers looks too, in its order.
 * @param {NodeJS.ProcessEnv} env
 * @returns {readonly Address[]}
 */
function addresses(env) {
  const named = env['DOCKER_HOST'];
  if (named) return URL.canParse(named) ? [addressOf(new URL(named))] : [];
  const runtimeDir = env['XDG_RUNTIME_DIR'];
  return [
    '/var/run/docker.sock',
    ...(runtimeDir ? [path.join(runtimeDir, 'docker.sock')] : []),
    path.join(homedir(), '.docker', 'run', 'docker.sock'),
    path.join(homedir(), '.docker', 'desktop', 'docker.sock'),
  ]
    .filter((socketPath) => existsSync(socketPath))
    .map((socketPath) => ({ socketPath }));
}

/**
 * @param {URL} url
 * @returns {Address}
 */
const addressOf = ({ hostname, port, pathname }) =>
  hostname === '' ? { socketPath: pathname } : { host: hostname, port: Number(port) || 2_375 };

/**
 * @param {Address} address
 * @returns {Promise<boolean>}
 */
function pings(address) {
  return new Promise((resolve) => {
    const request = http.get({ ...address, path: '/_ping', timeout: PING_MS }, (response) => {
      response.resume();
      // 400 is what an engine behind TLS says to plain HTTP: it is there all the same.
      resolve(response.statusCode === 200 || response.statusCode === 400);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
