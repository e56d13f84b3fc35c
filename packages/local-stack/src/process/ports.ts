import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { LocalStackError } from '../local-stack-error.js';
import { LOOPBACK, type PortUse, portMistake, refusalOf } from '../preflight/ports.mjs';

// Below the range that outgoing connections are given their ports from: a server that binds its
// free port a second later would now and then find it taken by one of them.
const FIRST = 20_000;
const LAST = 29_999;
const TRIES_MAX = 50;

/** Returns a port on 127.0.0.1 on which nobody listens now, given to no other process while this one runs. */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= TRIES_MAX; attempt++) {
    const port = randomInt(FIRST, LAST + 1);
    if ((await reserve(port)) && (await refusalOf(port, LOOPBACK)) === undefined) return port;
  }
  throw new LocalStackError(`No free port between ${FIRST} and ${LAST} in ${TRIES_MAX} tries.`);
}

/**
 * Reserves a TCP port by holding the UDP port of the same number, which no server of ours uses: the kernel refuses it
 * to every other process, and frees it with this one. Without that, another start would now and then find the same
 * port between here and the moment at which the server listens. Returns false when another process has it.
 */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  try {
    socket.bind(port, LOOPBACK);
    await once(socket, 'listening');
  } catch {
    socket.close();
    return false;
  }
  return true;
}

/** The port that was asked for, if it can be listened on, or else a free one. */
export async function portFor(asked: number | undefined, use: PortUse): Promise<number> {
  if (asked === undefined) return freePort();
  const mistake = await portMistake(asked, use);
  if (mistake !== undefined) throw new LocalStackError(mistake);
  return asked;
}
