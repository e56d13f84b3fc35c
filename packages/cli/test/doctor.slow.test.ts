import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Product, startProduct } from '@junction/demo';
import { kafkaClient } from '@junction/messaging';
import { certificateAuthority } from '@junction/testing';
import { values } from './junction.js';
import { commandsOf, inDatabase, MINUTE } from './operator.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const NOWHERE = '127.0.0.1:9';
const DAY_MS = 86_400_000;
const log = { debug() {}, info() {}, warn() {}, error() {} };

type Service = 'auth' | 'integrations' | 'webhook-dispatcher';
type Settings = Readonly<Record<string, string>>;

let product: Product;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'junction-doctor-'));
  product = await startProduct(process.env);
}, 4 * MINUTE);

afterAll(async () => {
  rmSync(folder, { recursive: true });
  expect(await product?.stop()).toBe(0);
});

const { cli } = commandsOf(() => product);

describe('a deployment in which all is well', () => {
  it('has no problem, asked from outside', async () => {
    const ended = await cli('doctor --json');
    expect(values(ended).filter(({ state }) => state === 'problem')).toEqual([]);
    expect(ended.code).toBe(0);
    expect(new Set(values(ended).map(({ service }) => service))).toEqual(
      new Set(['auth', 'integrations', 'webhooks']),
    );
    expect((await cli('doctor')).out).toMatch(/^ok +webhooks +days ahead: /m);
  });

  it.each<Service>(['auth', 'integrations', 'webhook-dispatcher'])(
    'has none for the command of %s',
    async (service) => {
      const { code, out } = await doctor(service);
      expect(out).not.toMatch(/^problem/m);
      expect(out).toMatch(/^ok +database: /m);
      expect(code).toBe(0);
    },
  );
});

describe('a broken deployment is told by what is broken:', () => {
  it.each<[string, Service, (env: Settings) => Settings, string, RegExp]>([
    [
      'a database that is not there',
      'auth',
      ({ AUTH_DATABASE_URL: url = '' }) => ({ AUTH_DATABASE_URL: `${url}_of_somebody_else` }),
      'database',
      /does not exist[^]*_DATABASE_URL/,
    ],
    [
      'brokers that do not answer',
      'auth',
      () => ({ KAFKA_BROKERS: NOWHERE }),
      'topics',
      /KAFKA_BROKERS/,
    ],
    [
      'topics that nobody made',
      'auth',
      () => ({ KAFKA_TOPIC_PREFIX: 'nobody.' }),
      'topics',
      /nobody\.auth\.events\.v1 is missing[^]*topics job/,
    ],
    [
      'another key ring',
      'auth',
      () => ({ VAULT_KEYS: `other:${randomBytes(32).toString('base64url')}` }),
      'key ring',
      /signing_keys[^]*VAULT_KEYS/,
    ],
    [
      'a mail server that is not there',
      'auth',
      () => ({ SMTP_URL: `smtp://${NOWHERE}` }),
      'mail',
      /ECONNREFUSED[^]*SMTP_URL/,
    ],
    [
      'more connections than Postgres takes',
      'webhook-dispatcher',
      () => ({ DATABASE_POOL_MAX: '200' }),
      'connections',
      /max_connections[^]*DATABASE_POOL_MAX/,
    ],
    [
      'a secret that auth does not know',
      'webhook-dispatcher',
      () => ({ SERVICE_CLIENT_SECRET: randomBytes(32).toString('hex') }),
      'service account',
      /invalid_client[^]*SERVICE_ACCOUNTS_FILE/,
    ],
    [
      'a clock that is a minute fast',
      'auth',
      () => ({ NODE_OPTIONS: `--import=${MINUTE_FAST}` }),
      'clock',
      /(59|60)\.\d s from that of Postgres[^]*NTP/,
    ],
    [
      'a provider that describes itself nowhere',
      'integrations',
      ({ PROVIDERS_FILE: file = '' }) => ({
        PROVIDERS_FILE: copied(file, (yaml) =>
          yaml.replace(/issuer: .*/, `issuer: http://${NOWHERE}`),
        ),
      }),
      'providers',
      /127\.0\.0\.1:9[^]*PROVIDERS_FILE/,
    ],
  ])('%s', async (_, service, broken, check, words) => {
    const { code, out } = await doctor(service, broken(environmentOf(service)));
    expect(out).toMatch(new RegExp(`^problem +${check}: `, 'm'));
    expect(out).toMatch(words);
    expect(code).toBe(1);
  });

  it('a migration that was not run', async () => {
    await inDatabase(product, 'auth', async (db) => {
      const last = '(select max(id) from knex_migrations)';
      const { rows } = await db.query<{ name: string }>(
        `update knex_migrations set name = name || '_later' where id = ${last} returning name`,
      );
      const { code, out } = await doctor('auth');
      await db.query(
        `update knex_migrations set name = replace(name, '_later', '') where id = ${last}`,
      );
      expect(rows).toHaveLength(1);
      expect(out).toMatch(/^problem +migrations: .*has not been run[^]*`migrate`/m);
      expect(code).toBe(1);
    });
  });

  it('a partition that was not made', async () => {
    await inDatabase(product, 'integrations', async (db) => {
      await db.query('drop table events_p1');
      const { code, out } = await doctor('integrations');
      await db.query('select make_events_partitions(2)');
      expect(out).toMatch(/^problem +partitions: .*events_p1[^]*make_events_partitions/m);
      expect(code).toBe(1);
    });
  });

  it('a topic that forgets, and has too few partitions', async () => {
    const topicPrefix = 'forgetful.';
    const kafka = kafkaClient({ brokers: [product.endpoints.kafka], clientId: 'test', log });
    const forgetful = { name: 'auth.events.v1', partitions: 3, retentionMs: DAY_MS };
    await kafka.admin().ensureTopics([forgetful], topicPrefix);
    const { out } = await doctor('auth', { KAFKA_TOPIC_PREFIX: topicPrefix });
    expect(out).toMatch(/^problem +topics: forgetful\.auth\.events\.v1 has 3 partitions/m);
    expect(out).toMatch(/keeps records for 86400000 ms, and must for -1[^]*retention\.ms=-1/);
  });

  it('a batch of Kafka that could not be decoded', async () => {
    await inDatabase(product, 'webhooks', async (db) => {
      await db.query(
        `insert into dead_letters (id, consumer, topic, partition, record_offset, reason_code,
                                   reason_text, headers, recorded_at)
         values (gen_random_uuid(), 'c', 'assistant.events.v1', 3, 41, 'batch_undecodable', 'r', '{}', now())`,
      );
      const { code, out } = await doctor('webhook-dispatcher');
      await db.query(`delete from dead_letters where consumer = 'c'`);
      expect(out).toMatch(
        /^problem +records: c could not decode 1 batch of assistant\.events\.v1/m,
      );
      expect(code).toBe(1);
    });
  });

  it('certificates that are over, and one whose key is another', async () => {
    const authority = await certificateAuthority();
    const over = await authority.issue({
      notBeforeDate: new Date(Date.now() - 2 * DAY_MS),
      notAfterDate: new Date(Date.now() - DAY_MS),
    });
    const other = await authority.issue();
    const { code, out } = await doctor('auth', {
      GRPC_PLAINTEXT: 'false',
      GRPC_TLS_CERT_FILE: written('cert.pem', over.cert),
      GRPC_TLS_KEY_FILE: written('key.pem', other.key),
    });
    await authority.close();
    expect(out).toMatch(/^problem +certificates: .* of GRPC_TLS_CERT_FILE ended at/m);
    expect(out).toMatch(/^problem +certificates: The key of GRPC_TLS_KEY_FILE is not/m);
    expect(code).toBe(1);
  });

  it('a service that cannot be asked', async () => {
    process.kill(product.pids()['integrations'] ?? 0, 'SIGSTOP');
    const ended = await cli('doctor -s integrations --json');
    process.kill(product.pids()['integrations'] ?? 0, 'SIGCONT');
    expect(values(ended)).toMatchObject([{ check: 'service', state: 'problem' }]);
    expect(ended.code).toBe(1);
  });
});

const MINUTE_FAST = `data:text/javascript,${encodeURIComponent(
  'const now = Date.now; Date.now = () => now() + 60000;',
)}`;

/** Returns the environment of a running service of the product. */
function environmentOf(service: Service): Record<string, string> {
  const environ = readFileSync(`/proc/${product.pids()[service]}/environ`, 'utf8');
  return Object.fromEntries(
    environ
      .split('\0')
      .filter((entry) => entry.includes('='))
      .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
}

/** The command of a service, as in its container, with some settings in place of those of the product. */
async function doctor(service: Service, settings: Settings = {}) {
  const main = path.join(ROOT, 'services', service, 'dist/src/main.js');
  const child = spawn(process.execPath, [main, 'doctor'], {
    env: { ...environmentOf(service), ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { out: await text(child.stdout), code: await ended };
}

function written(name: string, content: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

const copied = (file: string, change: (content: string) => string): string =>
  written(path.basename(file), change(readFileSync(file, 'utf8')));
