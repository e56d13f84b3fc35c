import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { ask, ended } from '../dispatch/ask.js';

const PROGRAM = path.join(import.meta.dirname, 'provider-process.js');

/** How often it was asked, and for what. */
export interface Answered {
  readonly introspections: number;
  readonly refreshes: number;
  /** For tokens that were used before, or revoked. */
  readonly refused: number;
}

/** What the process is asked; it answers with `Answered`. */
export interface Question {
  /** The account whose tokens are good no more from now on. Nobody is told of it. */
  readonly revoke?: string;
}

export interface Provider {
  readonly issuer: string;
  answered(): Promise<Answered>;
  /** Takes the consents of this account back, and tells nobody. */
  revoke(account: string): Promise<void>;
  close(): Promise<void>;
}

export interface ProviderOptions {
  /** It can be asked whether a token is good (RFC 7662). */
  readonly introspection: boolean;
}

export async function startProvider(
  { introspection }: ProviderOptions,
  signal: AbortSignal,
): Promise<Provider> {
  const args = [PROGRAM, ...(introspection ? ['--introspection'] : [])];
  const child = spawn(process.execPath, args, {
    env: {},
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [issuer] = (await once(child, 'message', { signal })) as [string];
  const asked = (question: Question) => ask<Answered>(child, question);
  return {
    issuer,
    answered: () => asked({}),
    async revoke(account) {
      await asked({ revoke: account });
    },
    close: () => ended(child, () => child.kill('SIGTERM')),
  };
}
