import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { DATA_BYTES } from './events.js';
import type { World } from './world.js';

const PROGRAM = path.join(import.meta.dirname, 'bare-process.js');
/** Size of the envelope, which makes a bare body as long as a delivered one. */
const ENVELOPE_BYTES = 190;

/** Sends so many requests to this server without the product. Returns how many a second. */
export async function barePerS(
  { node, run: { signal } }: World,
  url: string,
  requests: number,
): Promise<number> {
  const args = [PROGRAM, url, String(requests), String(DATA_BYTES + ENVELOPE_BYTES)];
  const { stdout } = await promisify(execFile)(node, args, { signal });
  return Number(stdout);
}
