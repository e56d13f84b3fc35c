import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { ended } from '../dispatch/ask.js';

const PROGRAM = path.join(import.meta.dirname, 'provider-process.js');

/** A provider in a process of its own. */
export interface Provider {
  readonly issuer: string;
  close(): Promise<void>;
}

export async function startProvider(signal: AbortSignal): Promise<Provider> {
  const child = spawn(process.execPath, [PROGRAM], {
    env: {},
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [issuer] = (await once(child, 'message', { signal })) as [string];
  return { issuer, close: () => ended(child, () => child.kill('SIGTERM')) };
}
