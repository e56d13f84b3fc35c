import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { DevClient } from './clients.js';
import { ACME, type Profile } from './profile.js';
import { type RemoteControl, remoteControl } from './remote-control.js';

const MAIN = path.resolve(import.meta.dirname, '../../dist/provider/main.js');

export interface ProviderProcessOptions {
  /** `acme` without one. */
  readonly profile?: Profile['id'];
  readonly clients: readonly DevClient[];
  readonly port: number;
  /** Address at which browsers and services reach the provider. */
  readonly issuer: string;
  readonly accessTokenS?: number;
}

export interface ProviderProcess {
  readonly issuer: string;
  readonly port: number;
  readonly control: RemoteControl;
  /** Ends it as it is: it keeps nothing. */
  close(): Promise<void>;
}

/**
 * Starts a development identity provider as a process of its own, its control open to this machine, and
 * resolves when it answers. Rejects with all it said when it ends instead.
 */
export async function startProviderProcess({
  profile = ACME.id,
  clients,
  port,
  issuer,
  accessTokenS,
}: ProviderProcessOptions): Promise<ProviderProcess> {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PROVIDER_PROFILE: profile,
      PROVIDER_PORT: String(port),
      PROVIDER_ISSUER: issuer,
      PROVIDER_CLIENTS: JSON.stringify(clients),
      PROVIDER_CONTROL: 'true',
      ...(accessTokenS !== undefined && { PROVIDER_ACCESS_TOKEN_TTL_S: String(accessTokenS) }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'close');
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  // The one line of its standard output comes when it serves.
  const serves = once(child.stdout, 'data').then(() => true);
  const isServing = await Promise.race([serves, exited.then(() => false)]);
  if (!isServing) throw new Error(`The provider ended:\n${said}`);

  return {
    issuer,
    port,
    control: remoteControl(`http://127.0.0.1:${port}`),
    async close() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
