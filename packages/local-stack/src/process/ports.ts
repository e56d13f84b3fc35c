import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalStackError } from '../local-stack-error.js';
import { reservePort } from './port-reservation.js';

// Below the range that outgoing connections are given their ports from: a server that binds its
// free port a second later would now and then find it taken by one of them.
const FIRST = 20_000;
const LAST = 29_999;
const TRIES_MAX = 50;
const RELEASE_WAIT_MS = 1_500;
const LOOPBACK = '127.0.0.1';

/** Who is to listen on a port. */
interface PortUse {
  readonly server: string;
  readonly variable: string;
  readonly everywhere?: boolean;
}

/** A port on 127.0.0.1 on which nobody listens now, given to nobody else for two minutes. */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= TRIES_MAX; attempt++) {
    const port = randomInt(FIRST, LAST + 1);
    if (reservePort(port) && (await refusalOf(port, LOOPBACK)) === undefined) return port;
  }
  throw new LocalStackError(`No free port between ${FIRST} and ${LAST} in ${TRIES_MAX} tries.`);
}

/** The port that was asked for, if it can be listened on, or else a free one. */
export async function portFor(asked: number | undefined, use: PortUse): Promise<number> {
  if (asked === undefined) return freePort();
  await requireFreePort(asked, use);
  return asked;
}

/**
 * Throws unless the port can be listened on. One that is just being given up is waited for.
 * `variable` is the environment variable that moves the server elsewhere; `everywhere` says that it
 * listens on all addresses rather than on 127.0.0.1.
 */
export async function requireFreePort(
  port: number,
  { server, variable, everywhere = false }: PortUse,
): Promise<void> {
  const host = everywhere ? undefined : LOOPBACK;
  const end = Date.now() + RELEASE_WAIT_MS;
  for (;;) {
    const code = await refusalOf(port, host);
    if (code === undefined) return;
    if (code !== 'EADDRINUSE' || Date.now() > end) throw refused(port, code, { server, variable });
    await sleep(50);
  }
}

function refused(port: number, code: string, { server, variable }: PortUse): LocalStackError {
  const why =
    code === 'EADDRINUSE'
      ? 'is in use by another program. Stop that program'
      : `cannot be listened on (${code})`;
  return new LocalStackError(
    `Port ${port}, meant for ${server}, ${why}, or set ${variable} to another port.`,
  );
}

/** The error code of an attempt to listen on the port; undefined when it worked. */
async function refusalOf(port: number, host: string | undefined): Promise<string | undefined> {
  const server = net.createServer();
  try {
    server.listen(port, host); // without a host: on every address of both families
    await once(server, 'listening');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
  server.close();
  await once(server, 'close');
  return undefined;
}
