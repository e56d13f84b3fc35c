import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, freePort } from '@junction/testing';
import { keyPair, newSecret, newSigningKey, signatureHeaders, signingKeys } from '../src/index.js';
import { cgiServer } from './cgi-server.js';

const FOLDER = path.resolve(import.meta.dirname, '../../../docs/webhooks/verify');
const BYTES_MAX = 512 * 1_024;

const file = (name: string) => path.join(FOLDER, name);
const built = mkdtempSync(path.join(tmpdir(), 'junction-receivers-'));
afterAll(() => rmSync(built, { recursive: true }));

/** How each is started; none of them is there twice. */
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
const NAMES = [...Object.keys(SERVERS), ...Object.keys(SCRIPTS)];

it.each(['python3', 'go', 'php', 'ruby', 'openssl', 'curl'])(
  '%s is installed, as CONTRIBUTING.md asks',
  (program) => expect(spawnSync(program, ['--version']).error).toBeUndefined(),
);

beforeAll(async () => {
  const build = ['build', '-o', path.join(built, 'receive'), file('receive.go')];
  await promisify(execFile)('go', build);
});

it('every receiver in the folder is run', () => {
  const found = readdirSync(FOLDER).filter((name) => name.startsWith('receive.'));
  expect(found.toSorted()).toEqual(NAMES.toSorted());
});

describe.each(NAMES)('%s', (name) => {
  const secret = newSecret();
  let receiver: Started;
  beforeAll(async () => {
    receiver = await start(name, secret);
  });
  afterAll(async () => receiver?.stop());

  it('takes what was signed, whatever its bytes are', async () => {
    expect(await receiver.post(body, signed(secret))).toBe(200);
    const near = new Date(Date.now() - 290_000);
    expect(await receiver.post(body, signed(secret, { timestamp: near }))).toBe(200);
  });

  it('takes one of several signatures', async () => {
    const privateKeys = [keyPair(newSigningKey()).privateKey];
    const keys = [newSecret(), secret].map(signingKeys);
    expect(await receiver.post(body, signed(secret, { keys, privateKeys }))).toBe(200);
  });

  it('refuses another body, another id and another time', async () => {
    const headers = signed(secret);
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(await receiver.post(Buffer.concat([body, Buffer.from(' ')]), headers)).toBe(401);
    expect(await receiver.post(body, { ...headers, 'webhook-id': 'msg_2' })).toBe(401);
    expect(await receiver.post(body, { ...headers, 'webhook-timestamp': later })).toBe(401);
  });

  it('refuses what is stale, and what comes from the future', async () => {
    for (const aside of [-310_000, 310_000]) {
      const timestamp = new Date(Date.now() + aside);
      expect(await receiver.post(body, signed(secret, { timestamp }))).toBe(401);
    }
  });

  it('refuses another secret, and what nobody signed', async () => {
    expect(await receiver.post(body, signed(newSecret()))).toBe(401);
    expect(await receiver.post(body, signed(secret, { keys: [] }))).toBe(401);
    const { 'webhook-signature': signature = '', ...others } = signed(secret);
    for (const wrong of ['v1,', signature.replace('v1,', 'v2,'), signature.slice(0, -1), '*']) {
      expect(await receiver.post(body, { ...others, 'webhook-signature': wrong })).toBe(401);
    }
    for (const time of ['', 'now', '0', '1e9', '-1', '1'.repeat(30)]) {
      expect(await receiver.post(body, { ...signed(secret), 'webhook-timestamp': time })).toBe(401);
    }
    expect(await receiver.post(body, {})).toBe(401);
  });

  it('refuses more than it would keep, rightly signed as it may be', async () => {
    const large = Buffer.alloc(BYTES_MAX + 1, ' ');
    const answer = receiver.post(large, signed(secret, { body: large }));
    // Whoever does not read to the end may cut the connection before the answer is seen.
    expect([413, 'cut']).toContain(await answer.catch(() => 'cut'));
    expect(await receiver.post(body, signed(secret))).toBe(200);
  });

  it('takes what send.sh sends', async () => {
    const env = { ...process.env, WEBHOOK_SECRET: secret };
    const sent = await promisify(execFile)('sh', [file('send.sh'), receiver.url], { env });
    expect(sent.stdout).toMatch(/^HTTP\/1\.[01] 200 /);
  });

  it('knows a secret of my own choice, and never has an empty one', async () => {
    const own = await start(name, 'geheim äöü $(x)');
    try {
      expect(await own.post(body, signed('geheim äöü $(x)'))).toBe(200);
      expect(await own.post(body, signed(secret))).toBe(401);
    } finally {
      await own.stop();
    }
    for (const none of ['', 'whsec_']) expect(await isForgedUnder(name, none)).toBe(false);
  });
});

/** With what shells, printf and parsers would change. */
const body = Buffer.concat([
  Buffer.from('{"event_type":"draft.created","user_id":"ä%s\\n\\u0000","data":{}}'),
  Buffer.from('\r\n\n'),
]);

function signed(secret: string, changes: Partial<Parameters<typeof signatureHeaders>[0]> = {}) {
  const keys = [signingKeys(secret)];
  const attempt = { body, keys, messageId: 'msg_1', timestamp: new Date() };
  return signatureHeaders({ ...attempt, ...changes });
}

interface Started {
  readonly url: string;
  /** The status of its answer. */
  post(body: Buffer, headers: Record<string, string>): Promise<number>;
  stop(): Promise<unknown>;
}

async function start(name: string, secret: string): Promise<Started> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const post = async (body: Buffer, headers: Record<string, string>) => {
    const init = { method: 'POST', body: new Uint8Array(body), headers };
    return (await fetch(url, init)).status;
  };
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) };
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

/** Whether it takes what anybody can sign: a request whose MAC has an empty key. */
async function isForgedUnder(name: string, secret: string): Promise<boolean> {
  const receiver = await start(name, secret).catch(() => undefined);
  if (receiver === undefined) return false; // It refused to start.
  try {
    const { 'webhook-timestamp': time, ...others } = signed('x');
    const mac = createHmac('sha256', '').update(`msg_1.${time}.`).update(body).digest('base64');
    const headers = {
      ...others,
      'webhook-timestamp': time ?? '',
      'webhook-signature': `v1,${mac}`,
    };
    return (await receiver.post(body, headers)) === 200;
  } finally {
    await receiver.stop();
  }
}
