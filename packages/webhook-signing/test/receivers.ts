import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
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

type Sent = Readonly<Record<string, string | readonly string[]>>;

export interface Started {
  readonly url: string;
  /** The status of its answer. A header of several values is sent as often. */
  post(body: Buffer, headers: Sent): Promise<number>;
  /** The same in chunks, without a length. */
  postInChunks(body: Buffer, headers: Sent): Promise<number>;
  stop(): Promise<unknown>;
}

export async function startReceiver(
  name: string,
  settings: Record<string, string>,
): Promise<Started> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const sent = {
    url,
    post: (body: Buffer, headers: Sent) =>
      statusOf(url, { ...headers, 'content-length': String(body.length) }, [body]),
    postInChunks: (body: Buffer, headers: Sent) =>
      statusOf(url, headers, [body.subarray(0, 7), body.subarray(7)]),
  };
  const env = { ...process.env, ...settings, PORT: String(port) };
  const script = SCRIPTS[name];
  if (script === undefined) {
    return { ...sent, stop: await startServer(SERVERS[name]?.(port) ?? [], env, url) };
  }
  const server = cgiServer(script, env).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { ...sent, stop: async () => once(server.close(), 'close') };
}

/** Posts without fetch, which sends a header once, and chunks as they come to it. */
async function statusOf(url: string, headers: Sent, parts: readonly Buffer[]): Promise<number> {
  const sent = request(url, { method: 'POST', headers: headers as OutgoingHttpHeaders });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  for (const part of parts) sent.write(part);
  sent.end();
  const [answer] = await answered;
  answer.resume();
  return answer.statusCode ?? 0;
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
