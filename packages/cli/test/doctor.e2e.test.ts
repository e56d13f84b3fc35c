import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { useProduct } from '@junction/demo';
import { kafkaClient, silentLog } from '@junction/messaging';
import { type PlatformConfig, runService, type ServiceDefinition } from '@junction/service';
import { certificateAuthority, useBroker, useDatabase } from '@junction/testing';
import { Client } from 'pg';
import { BROKEN, type Ground, type Service, type Settings } from './broken-deployments.js';
import { junction, startJunction, values } from './junction.js';
import { asAccount } from './operator.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const SERVICES = ['auth', 'integrations', 'webhook-dispatcher'] as const;
const DAY_MS = 86_400_000;

type Definition = ServiceDefinition<PlatformConfig, never>;
/** Role that owns the unused database of the dispatcher. */
const OWNER = `doctor_${process.pid}`;

const product = useProduct();
const broker = useBroker();
const empty = useDatabase();
const unused = useDatabase(async (url) => {
  await asSuperuser(
    url,
    `create role ${OWNER} login password '${OWNER}'`,
    `do $$ begin execute format('alter database %I owner to ${OWNER}', current_database()); end $$`,
  );
  const ended = await run('webhook-dispatcher', 'migrate', {
    WEBHOOKS_DATABASE_URL: owned(url),
    LOG_LEVEL: 'error',
  });
  expect(ended.code).toBe(0);
});
const folder = mkdtempSync(path.join(tmpdir(), 'junction-doctor-'));
let ground: Ground;

beforeAll(async () => {
  // The exporter of traces reads its variables from the process.
  process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = 'http://127.0.0.1:2';
  await writeFiles();
  ground = {
    ownerUrl: owned(unused().url),
    emptyUrl: empty().url,
    forgetfulKafka: await forgetfulKafka(),
    file: (name) => path.join(folder, name),
  };
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await asSuperuser(process.env['JUNCTION_TEST_POSTGRES_URL'] ?? '', `drop role ${OWNER}`);
});

describe('a deployment in which all is well', () => {
  it.each(SERVICES)('has nothing to mend for the command of %s', async (service) => {
    const { code, out, findings } = await run(service, 'doctor');
    expect(findings.filter(({ state }) => state === 'problem')).toEqual([]);
    expect(out).toMatch(/^ok +topics: All \d are there, with the settings and the rights/m);
    expect(code).toBe(0);
  });
});

describe('the doctor finds what is broken, says what to do, and names nothing that only follows:', () => {
  it.each(BROKEN.map((one) => [one.what, one] as const))('%s', async (_, broken) => {
    const { service, database: [breaking, mending] = [], problems = [], warnings = [] } = broken;
    const onUnused = breaking === undefined ? {} : { WEBHOOKS_DATABASE_URL: ground.ownerUrl };
    const settings = { ...onUnused, ...broken.settings?.(environmentOf(service), ground) };
    if (breaking !== undefined) await asSuperuser(unused().url, breaking);
    const ended = await run(service, 'doctor', settings);
    if (mending !== undefined) await asSuperuser(unused().url, mending);

    const { findings, code, out, err } = ended;
    const expected = (state: string, all: typeof problems) =>
      all.map(([check, found, remedy]) => ({
        state,
        check,
        found: expect.stringMatching(found),
        remedy: expect.stringMatching(remedy),
      }));
    const found = findings.filter(({ state }) => state === 'problem');
    expect(found).toEqual(expected('problem', problems));
    expect(findings).toEqual(expect.arrayContaining(expected('warning', warnings)));
    expect(code).toBe(problems.length > 0 || broken.refused ? 1 : 0);
    expect(err).toMatch(broken.refused ?? /^$/);
    if (broken.refused) expect(out).toBe('');
    expect(out + err).not.toMatch(/error:[0-9A-F]{8}:/);
    expect(out + err).not.toMatch(/^\s+at |"stack"/m);
  });
});

describe('a doctor that comes to no end', () => {
  it('says which settings are missing, without a trace of the stack, and ends with 1', async () => {
    const { code, out, err } = await run('auth', 'doctor', { VAULT_KEYS: '', PUBLIC_URL: 'x' });
    expect(err).toBe(
      'auth: The environment is not usable:\n  PUBLIC_URL: must be an http(s) URL\n  VAULT_KEYS: is missing\n',
    );
    expect([code, out]).toEqual([1, '']);
  });

  it('ends with 130 when it is interrupted, and says nothing', async () => {
    const [ofService, ofCommand] = [await silentServer(), await silentServer()];
    const child = spawned('auth', 'doctor', {
      AUTH_DATABASE_URL: `postgres://a:b@${ofService.host}/a`,
    });
    const command = startJunction(product(), ['doctor', '-s', 'integrations'], {
      ...asAccount(product(), 'operator'),
      INTEGRATIONS_URL: `http://${ofCommand.host}`,
    });
    await Promise.all([ofService.connected, ofCommand.connected]);
    child.kill('SIGINT');
    command.interrupt();
    expect(await endOf(child)).toMatchObject({ code: 130, out: '', err: '' });
    expect(await command.ended).toEqual({ code: 130, out: '', err: '' });
    for (const { close } of [ofService, ofCommand]) close();
  });
});

describe('junction doctor', () => {
  const doctor = async (line: string, env: Settings) =>
    junction(undefined, line.split(' '), { ...asAccount(product(), 'operator'), ...env });

  it('names a service that cannot be asked, and the command that can', async () => {
    const ended = await doctor('doctor --json -s integrations', {
      INTEGRATIONS_URL: 'http://127.0.0.1:2',
    });
    expect(values(ended)).toMatchObject([
      {
        check: 'service',
        state: 'problem',
        found: expect.stringContaining('cannot be reached'),
        remedy: expect.stringContaining('node main.mjs doctor'),
      },
    ]);
    expect(ended.code).toBe(1);
  });

  it('has one problem when auth gives no token', async () => {
    const ended = await doctor('doctor --json', {
      JUNCTION_TOKEN_URL: 'http://127.0.0.1:2/oauth/token',
      WEBHOOKS_URL: 'http://127.0.0.1:2',
    });
    expect(values(ended)).toMatchObject([
      {
        service: 'auth',
        found: expect.stringMatching(/gave no token.*of auth, integrations, web/),
      },
    ]);
    expect([ended.code, ended.err]).toEqual([1, 'There is 1 problem.\n']);
  });
});

/** The environment of a running service of the product. */
function environmentOf(service: Service): Record<string, string> {
  const environ = readFileSync(`/proc/${product().pids()[service]}/environ`, 'utf8').split('\0');
  return Object.fromEntries(
    environ.flatMap((entry) => {
      const end = entry.indexOf('=');
      return end < 0 ? [] : [[entry.slice(0, end), entry.slice(end + 1)]];
    }),
  );
}

/** Runs a command of a service in this process, as its main does, or in one of its own for options of Node. */
async function run(service: Service, command: string, settings: Settings = {}) {
  if (settings['NODE_OPTIONS'] !== undefined) return endOf(spawned(service, command, settings));
  let [out, err] = ['', ''];
  const source = path.join(ROOT, 'services', service, 'src/service.ts');
  const { service: definition } = (await import(source)) as { service: Definition };
  const code = await new Promise<number>((exit) => {
    const host = Object.assign(new EventEmitter(), {
      env: { ...environmentOf(service), ...settings },
      argv: ['node', 'main.mjs', command],
      exit,
      stdout: { write: (more: string) => (out += more) },
      stderr: { write: (more: string) => (err += more) },
    });
    void runService(definition, host);
  });
  return { code, out, err, findings: findingsIn(out) };
}

function spawned(service: Service, command: string, settings: Settings) {
  const main = path.join(ROOT, 'services', service, 'dist/src/main.js');
  return spawn(process.execPath, [main, command], {
    env: { ...environmentOf(service), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function endOf(child: ReturnType<typeof spawned>) {
  const ended = once(child, 'close') as Promise<[number | null]>;
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err, findings: findingsIn(out) };
}

const FINDING = /^(\w+) +(.+?): (.*)\n(?: {9}(.*)\n)?/gm;

const findingsIn = (out: string) =>
  [...out.matchAll(FINDING)].map(([, state = '', check = '', found = '', remedy = '']) => ({
    state,
    check,
    found,
    remedy,
  }));

async function asSuperuser(connectionString: string, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  for (const statement of statements) await client.query(statement.replaceAll('OWNER', OWNER));
  await client.end();
}

const owned = (url: string): string =>
  Object.assign(new URL(url), { username: OWNER, password: OWNER }).href;

async function writeFiles(): Promise<void> {
  const authority = await certificateAuthority();
  const notBeforeDate = new Date(Date.now() - 2 * DAY_MS);
  const notAfterDate = new Date(Date.now() - DAY_MS);
  const over = await authority.issue({ notBeforeDate, notAfterDate });
  const soon = await authority.issue();
  await authority.close();
  const providers = readFileSync(environmentOf('integrations')['PROVIDERS_FILE'] ?? '', 'utf8');
  const issuedBy = (issuer: string) => providers.replaceAll(/issuer: .*/g, `issuer: ${issuer}`);
  const files = {
    'over.pem': over.cert,
    'over.key': over.key,
    'soon.pem': soon.cert,
    'soon.key': soon.key,
    'nowhere.yaml': issuedBy('http://127.0.0.1:2'),
    'away.yaml': issuedBy('https://provider.example'),
    'no.yaml': 'providers: {}\n',
    'issuers.yaml': JSON.stringify({
      issuers: {
        away: { display_name: 'Away', audience: 'a', issuer: 'http://127.0.0.1:2' },
        other: { display_name: 'Other', audience: 'a', issuer: byAddress() },
      },
    }),
  };
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(path.join(folder, name), content);
  }
}

/** Returns the address of a provider by another name of its machine, which it does not describe. */
const byAddress = (): string =>
  (environmentOf('integrations')['ACME_ISSUER'] ?? '').replace('localhost', '127.0.0.1');

async function forgetfulKafka(): Promise<Settings> {
  const { brokers, prefix } = broker;
  const admin = kafkaClient({ brokers, clientId: 'test', log: silentLog }).admin();
  const forgetful = { name: 'auth.events.v1', partitions: 3, retentionMs: DAY_MS };
  await admin.ensureTopics([forgetful], prefix);
  return { KAFKA_BROKERS: brokers.join(','), KAFKA_TOPIC_PREFIX: prefix };
}

/** A server that takes connections and never answers. */
async function silentServer() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    connected: once(server, 'connection'),
    close: () => void server.close(),
  };
}
