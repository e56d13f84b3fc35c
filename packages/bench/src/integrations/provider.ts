import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { ask, ended } from '../dispatch/ask.js';

const PROGRAM = path.join(import.meta.dirname, 'provider-process.js');

/** How often it was asked to refresh. */
export interface Answered {
  readonly refreshes: number;
  /** For tokens that were used before, or revoked. */
  readonly refused: number;
}

export interface Provider {
  readonly issuer: string;
  answered(): Promise<Answered>;
  close(): Promise<void>;
}

export async function startProvider(signal: AbortSignal): Promise<Provider> {
  const child = spawn(process.execPath, [PROGRAM], {
    env: {},
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [issuer] = (await once(child, 'message', { signal })) as [string];
  return {
    issuer,
    answered: () => ask<Answered>(child, { ask: 'answered' }),
    close: () => ended(child, () => child.kill('SIGTERM')),
  };
}
