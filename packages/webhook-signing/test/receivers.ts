import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually, freePort } from '@junction/testing';
import { cgiServer } from './cgi-server.js';

export const FOLDER = path.resolve(import.meta.dirname, '../../../docs/webhooks/verify');

export const file = (name: string) => path.join(FOLDER, name);
const built = mkdtempSync(path.join(tmpdir(), 'junction-receivers-'));
export const removeBuilt = () => rmSync(built, { recursive: true });

/** Commands of the receivers that serve by themselves; SCRIPTS has the others. */
const SERVERS: Readonly<Record<string, (port: number) => readonly string[]>> = {
  'receive.mjs': () => [process.execPath, file('receive.mjs')],
  'receive.py': () => ['python3', file('receive.py')],
  'receive.go': () => [path.join(built, 'receive')],
  'receive.php': (port) => ['php', '-S', `127.0.0.1:${port}`, file('receive.php')],
};
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  'receive.rb': ['ruby', file('receive.rb')],
  'receive.sh': ['sh', file('receive.sh')],
};
export const NAMES = [...Object.keys(SERVERS), ...Object.keys(SCRIPTS)];

/** Compiles the receivers that need it. */
export async function buildReceivers(): Promise<void> {
  const build = ['build', '-o', path.join(built, 'receive'), file('receive.go')];
  await promisify(execFile)('go', build);
}

export interface Started {
  readonly url: string;
  /** The status of its answer. */
  post(body: Buffer, headers: Record<string, string>): Promise<number>;
  stop(): Promise<unknown>;
}

export async function startReceiver(
  name: string,
  settings: Record<string, string>,
): Promise<Started> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const post = async (body: Buffer, headers: Record<string, string>) => {
    const init = { method: 'POST', body: new Uint8Array(body), headers };
    return (await fetch(url, init)).status;
  };
  const env = { ...process.env, ...settings, PORT: String(port) };
  const script = SCRIPTS[name];
  if (script === undefined) {
    return { url, post, stop: await startServer(SERVERS[name]?.(port) ?? [], env, url) };
  }
  const server = cgiServer(script, env).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { url, post, stop: async () => once(server.close(), 'close') };
}

/** Resolves once it answers; rejects when it ends before. */
async function startServer(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  url: string,
): Promise<() => Promise<unknown>> {
  const child = spawn(program, args, { env, stdio: 'ignore' });
  let ending: Error | undefined;
  child.once('error', (error) => (ending = error));
  child.once('exit', (code) => (ending = new Error(`${program} ended with ${code}.`)));
  await eventually(async () => ending ?? fetch(url));
  if (ending !== undefined) throw ending;
  return async () => {
    child.kill();
    await once(child, 'exit');
  };
}
