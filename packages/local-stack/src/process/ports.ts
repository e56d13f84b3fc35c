import { randomInt } from 'node:crypto';
import { LocalStackError } from '../local-stack-error.js';
import { LOOPBACK, type PortUse, portMistake, refusalOf } from '../preflight/ports.mjs';
import { reservePort } from './port-reservation.js';

// Below the range that outgoing connections are given their ports from: a server that binds its
// free port a second later would now and then find it taken by one of them.
const FIRST = 20_000;
const LAST = 29_999;
const TRIES_MAX = 50;

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
  const mistake = await portMistake(asked, use);
  if (mistake !== undefined) throw new LocalStackError(mistake);
  return asked;
}
