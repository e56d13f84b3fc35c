import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { consent, type Product, serviceToken, signUp, worker } from '@junction/demo';
import { apiAt, type Receiver, startReceiver } from '@junction/testing';
import { inDatabase, MINUTE, type OperatedProduct } from '../operator.js';

const MARKER = `marker-${randomUUID()}`;

const PROVIDERS = ['provider-acme', 'provider-globex'];
/** Files that exist to hold secrets, and that only their owner can read. */
const KEPT = [
  'secrets.json',
  'endpoints.json',
  ...PROVIDERS.map((name) => `${name}.json`),
  'docker.json',
];
const secrets = new Map<string, string>();

export function secretCases({ product, events }: OperatedProduct): void {
  let receiver: Receiver;

  /** Uses everything that has a secret, rightly and wrongly, and remembers each. */
  const liveThroughEverything = async (): Promise<void> => {
    const api = apiAt(product().endpoints.gateway);
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
      // The same connect, which is answered again.
      expect((await ada.call('POST', connect, { json })).status).toBe(200);
    }
    await vend(ada.id);

    const secret = `webhook ${randomUUID()}`;
    remember('webhook secret', secret);
    const url = `${receiver.url}/hook`;
    const json = { url, events: ['draft.created'], secret, enabled: true };
    const idempotent = { 'idempotency-key': randomUUID() };
    await ada.call('POST', '/api/webhooks/configure', { json, headers: idempotent });
    await events().publish(ada.id, 'draft.created', { marker: MARKER });
    await receiver.waitFor(({ path }) => path === '/hook', MINUTE);

    await ada.call('DELETE', '/api/integrations/mailbox');
    await api('POST', '/api/auth/logout', { token: ada.token, json: {} });
    rememberTheFolder();
  };

  const vend = async (userId: string): Promise<void> => {
    remember('service token', await serviceToken(product().endpoints, 'worker', 'integrations'));
    const tokens = worker(product().endpoints);
    try {
      for (const provider of ['mailbox', 'calendar']) {
        for (const minLifetimeS of [0, 86_400]) {
          const token = await tokens.get({ userId, provider, minLifetimeS }).catch(() => null);
          remember(`${provider} token, ${minLifetimeS} s`, token?.accessToken);
        }
      }
    } finally {
      tokens.close();
    }
  };

  /** Remembers the secrets in the folder's own files: passwords of roles, key rings, client secrets. */
  const rememberTheFolder = (): void => {
    const file = path.join(product().dataDir, 'secrets.json');
    rememberEach('secrets', JSON.parse(readFileSync(file, 'utf8')));
  };

  describe('after a life with passwords, codes, tokens, keys and secrets', () => {
    beforeAll(async () => {
      receiver = await startReceiver();
      await liveThroughEverything();
    }, 4 * MINUTE);
    afterAll(async () => receiver?.close());

    it('no table of any database holds one in clear', async () => {
      const dump = await dumpOf(product());
      expect(dump).toContain(receiver.url); // or it would be a dump of nothing
      expect(foundIn(Buffer.from(dump))).toEqual([]);
    });

    it('no topic, log or other file of the stack holds one in clear', () => {
      const files = filesBelow(product().dataDir).filter(
        (file) => !KEPT.includes(path.basename(file)),
      );
      const found = files.flatMap((file) =>
        foundIn(bytesOf(file)).map((secret) => `${secret} in ${file}`),
      );
      expect(found).toEqual([]);
      const topics = files.filter((file) => file.includes('assistant.events.v1-'));
      expect(topics.some((file) => readFileSync(file).includes(MARKER))).toBe(true);
    });

    it('nothing was printed that should not be', () => {
      expect(foundIn(Buffer.from(product().output()))).toEqual([]);
    });

    it('the files that keep them are for their owner alone', () => {
      for (const name of KEPT.filter((name) => name !== 'docker.json')) {
        expect(statSync(path.join(product().dataDir, name)).mode & 0o077).toBe(0);
      }
    });
  });
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

/** The bytes of a file; none of a file that its running server has deleted meanwhile. */
function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.of();
    throw error;
  }
}

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

/** Every row of every table of the three databases, as text. */
async function dumpOf(product: Product): Promise<string> {
  const rows: string[] = [];
  for (const name of ['auth', 'integrations', 'webhooks'] as const) {
    await inDatabase(product, name, async (db) => {
      const tables = await db.query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables
          where schemaname not in ('pg_catalog', 'information_schema')`,
      );
      expect(tables.rows.length).toBeGreaterThan(5);
      for (const { name } of tables.rows) {
        const dump = await db.query<{ row: string }>(`select t::text as row from ${name} t`);
        rows.push(...dump.rows.map(({ row }) => row));
      }
    });
  }
  return rows.join('\n');
}
