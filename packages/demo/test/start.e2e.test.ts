import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apart } from '@junction/local-stack';
import { kafkaProducer } from '@junction/producer';
import { apiAt, eventually, type Receiver, startReceiver } from '@junction/testing';
import pg from 'pg';
import { type Product, serviceToken, startProduct, worker } from '../src/index.js';
import { consent, signUp } from '../src/person.js';

const MINUTE = 60_000;
const ROOT = path.resolve(import.meta.dirname, '../../..');
const MARKER = `marker-${randomUUID()}`;

const PROVIDERS = ['provider-acme', 'provider-globex'];
/** Files that exist to hold secrets, and that only their owner can read. */
const KEPT = [
  'secrets.json',
  'endpoints.json',
  ...PROVIDERS.map((name) => `${name}.json`),
  'docker.json',
];

let product: Product;
let receiver: Receiver;
const secrets = new Map<string, string>();

beforeAll(async () => {
  receiver = await startReceiver();
  product = await startProduct(process.env);
}, 4 * MINUTE);

afterAll(async () => {
  await product?.stop();
  await receiver?.close();
}, MINUTE);

describe('npm start', () => {
  it('writes where everything is and who runs it, and says so in one line', () => {
    expect(product.output()).toMatch(/^Junction is ready/m);
    expect(product.endpoints).toMatchObject({
      gateway: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      kafka: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      operator: { client_id: expect.any(String), client_secret: expect.any(String) },
    });
    expect(Object.keys(product.pids()).toSorted()).toEqual(
      expect.arrayContaining([
        'auth',
        'gateway',
        'integrations',
        ...PROVIDERS,
        'webhook-dispatcher',
      ]),
    );
  });

  it('starts a killed child again and says so', async () => {
    const { 'provider-globex': before = Number.NaN } = product.pids();
    process.kill(before, 'SIGKILL');
    await eventually(() => expect(product.output()).toContain('provider-globex is back'));
    expect(product.pids()['provider-globex']).not.toBe(before);
  });
});

describe('after a life with passwords, codes, tokens, keys and secrets', () => {
  beforeAll(liveThroughEverything, 4 * MINUTE);

  it('no table of any database holds one in clear', async () => {
    const dump = await dumpOf(product);
    expect(dump).toContain(MARKER); // or it would be a dump of nothing
    expect(foundIn(Buffer.from(dump))).toEqual([]);
  });

  it('no topic, log or other file of the stack holds one in clear', () => {
    const files = filesBelow(product.dataDir).filter((file) => !KEPT.includes(path.basename(file)));
    const found = files.flatMap((file) =>
      foundIn(readFileSync(file)).map((secret) => `${secret} in ${file}`),
    );
    expect(found).toEqual([]);
    const topics = files.filter((file) => file.includes('assistant.events.v1-'));
    expect(topics.some((file) => readFileSync(file).includes(MARKER))).toBe(true);
  });

  it('nothing was printed that should not be', () => {
    expect(foundIn(Buffer.from(product.output()))).toEqual([]);
  });

  it('the files that keep them are for their owner alone', () => {
    for (const name of KEPT.filter((name) => name !== 'docker.json')) {
      expect(statSync(path.join(product.dataDir, name)).mode & 0o077).toBe(0);
    }
  });
});

describe('npm start that is killed', () => {
  it('leaves no process behind when it is killed itself', async () => {
    const children = Object.values(product.pids());
    process.kill(starterOf(product), 'SIGKILL');
    await eventually(() => expect(children.filter(isRunning)).toEqual([]));
    await product.stop();
    expect(existsSync(product.dataDir)).toBe(false);
  });
});

describe('npm', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'takes its start along when it is ended by %s',
    async (signal) => {
      const dataDir = mkdtempSync('/var/tmp/junction-');
      const npm = spawn('npm', ['start', '--silent'], {
        cwd: ROOT,
        env: apart(process.env, dataDir),
        stdio: 'ignore',
      });
      try {
        const starter = await eventually(() => starterOf({ dataDir }));
        expect(isRunning(starter)).toBe(true);
        npm.kill(signal);
        await eventually(() => expect(isRunning(starter)).toBe(false));
      } finally {
        npm.kill('SIGKILL');
        rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      }
    },
    2 * MINUTE,
  );
});

/** Uses everything that has a secret, rightly and wrongly, and remembers each. */
async function liveThroughEverything(): Promise<void> {
  const api = apiAt(product.endpoints.gateway);
  const ada = await signUp(api);
  remember('password', ada.password);
  remember('access token', ada.token);
  remember('refresh token', ada.refreshToken);

  const refreshed = await api('POST', '/api/auth/refresh', {
    json: { refresh_token: ada.refreshToken },
  });
  remember('next refresh token', (refreshed.body as Record<string, string>)['refresh_token']);
  const wrong = `wrong ${randomUUID()}`;
  remember('mistyped password', wrong);
  await api('POST', '/api/auth/login', { json: { email: ada.email, password: wrong } });

  const made = await ada.call('POST', '/api/auth/api-keys', { json: { name: 'ci' } });
  const { key } = made.body as { key: string };
  remember('API key', key);
  await api('GET', '/api/webhooks', { token: key });
  await api('GET', '/api/webhooks', { token: `${key.slice(0, -1)}x` });

  for (const [provider, identityProvider] of [
    ['mailbox', 'acme'],
    ['mailbox', 'globex'],
    ['calendar', 'globex'],
  ] as const) {
    const { back, state } = await consent(ada, provider, { identityProvider });
    const auth_code = back.searchParams.get('code') ?? '';
    remember(`${provider} code of ${identityProvider}`, auth_code);
    remember(`${provider} state of ${identityProvider}`, state);
    await fetch(back);
    const json = { auth_code, state };
    const connect = `/api/integrations/${provider}/connect`;
    expect((await ada.call('POST', connect, { json })).status).toBe(200);
    expect((await ada.call('POST', connect, { json })).status).toBe(400);
  }
  await vend(ada.id);

  const secret = `webhook ${randomUUID()}`;
  remember('webhook secret', secret);
  const url = `${receiver.url}/hook`;
  const json = { url, events: ['draft.created'], secret, enabled: true };
  const idempotent = { 'idempotency-key': randomUUID() };
  await ada.call('POST', '/api/webhooks/configure', { json, headers: idempotent });
  const producer = await kafkaProducer({
    brokers: [product.endpoints.kafka],
    source: `/${MARKER}`,
  });
  await producer.publish({ type: 'draft.created', userId: ada.id, data: {} });
  await producer.close();
  await receiver.waitFor(({ path }) => path === '/hook', MINUTE);

  await ada.call('DELETE', '/api/integrations/mailbox');
  await api('POST', '/api/auth/logout', { token: ada.token, json: {} });
  rememberTheFolder();
}

async function vend(userId: string): Promise<void> {
  remember('service token', await serviceToken(product.endpoints, 'worker', 'integrations'));
  const tokens = await worker(product.endpoints);
  try {
    for (const provider of ['mailbox', 'calendar']) {
      for (const minLifetimeS of [0, 86_400]) {
        const token = await tokens.vend({ userId, provider, minLifetimeS }).catch(() => null);
        remember(`${provider} token, ${minLifetimeS} s`, token?.accessToken);
      }
    }
  } finally {
    tokens.close();
  }
}

/** Remembers the secrets in the folder's own files: passwords of roles, key rings, client secrets. */
function rememberTheFolder(): void {
  const file = path.join(product.dataDir, 'secrets.json');
  rememberEach('secrets', JSON.parse(readFileSync(file, 'utf8')));
}

function rememberEach(name: string, kept: unknown): void {
  if (typeof kept === 'string') remember(name, kept);
  else for (const [part, of] of Object.entries(kept as object)) rememberEach(`${name} ${part}`, of);
}

function remember(name: string, secret: string | undefined): string {
  if (secret !== undefined) secrets.set(name, secret);
  return secret ?? '';
}

/** The names of the secrets that stand in these bytes, as they are or lightly wrapped. */
function foundIn(bytes: Buffer): string[] {
  return [...secrets].flatMap(([name, secret]) => {
    const raw = Buffer.from(secret);
    const forms = [raw, Buffer.from(raw.toString('hex')), Buffer.from(encodeURIComponent(secret))];
    return forms.some((form) => bytes.includes(form)) ? [name] : [];
  });
}

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** Every row of every table of the three databases, as text. */
async function dumpOf({ databaseUrls }: Product): Promise<string> {
  const rows: string[] = [];
  for (const url of databaseUrls) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const tables = await client.query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables
          where schemaname not in ('pg_catalog', 'information_schema')`,
      );
      expect(tables.rows.length).toBeGreaterThan(5);
      for (const { name } of tables.rows) {
        const dump = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
        rows.push(...dump.rows.map(({ row }) => row));
      }
    } finally {
      await client.end();
    }
  }
  return rows.join('\n');
}

/** The process that holds the lock of the data folder. */
const starterOf = ({ dataDir }: Pick<Product, 'dataDir'>): number =>
  (JSON.parse(readFileSync(path.join(dataDir, 'lock'), 'utf8')) as { pid: number }).pid;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
