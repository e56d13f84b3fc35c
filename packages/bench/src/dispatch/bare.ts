import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { WARM_AFTER } from './emptied.js';
import { DATA_BYTES } from './events.js';
import type { World } from './world.js';

const PROGRAM = path.join(import.meta.dirname, 'bare-process.js');
/** Size of the envelope, which makes a bare body as long as a delivered one. */
const ENVELOPE_BYTES = 190;

interface BareOptions {
  /** `floor`: with one body for all requests, and no HMAC. */
  readonly kind?: 'bare' | 'floor';
}

interface BareRun {
  readonly perS: number;
  readonly cpuPer10k: number;
}

/** Sends so many requests to this server without the product. */
export async function bare(
  { authorityFile, node, run: { signal } }: World,
  url: string,
  requests: number,
  { kind = 'bare' }: BareOptions = {},
): Promise<BareRun> {
  const numbers = [requests, DATA_BYTES + ENVELOPE_BYTES, WARM_AFTER].map(String);
  const args = [PROGRAM, url, ...numbers, kind];
  const env = { NODE_EXTRA_CA_CERTS: authorityFile };
  const { stdout } = await promisify(execFile)(node, args, { signal, env });
  return JSON.parse(stdout) as BareRun;
}
