import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GuardedProcess, spawnGuarded } from '@junction/local-stack/process';
import { eventually } from '@junction/testing';
import { askWithin } from './containers/ask-within.js';
import { installedIn, listedIn } from './containers/bill-of-materials.js';
import { type Image, ImageBuilder } from './containers/build-image.js';
import { type ComposeService, readCompose } from './containers/compose-file.js';
import { Container } from './containers/container.js';
import { type Namespaces, openNamespaces } from './containers/namespaces.js';

const MINUTE = 60_000;
const ROOT = path.resolve(import.meta.dirname, '../../..');
const compose = readCompose(path.join(ROOT, 'docker-compose.yml'));
/** An absolute path: a process that enters a namespace begins at its root. */
const LOCAL_STACK = path.join(ROOT, 'packages/local-stack/dist/index.js');
const SERVICES = [
  'mail',
  'auth',
  'integrations',
  'webhook-dispatcher',
  'acme',
  'globex',
  'gateway',
] as const;
const JOBS = [
  'topics',
  'migrate-auth',
  'migrate-integrations',
  'migrate-webhook-dispatcher',
] as const;

// Through which the database's own user must pass.
const workDir = mkdtempSync('/var/tmp/junction-images-');
const hosts = path.join(workDir, 'hosts');
const images = new Map<string, Image>();
const containers = new Map<string, Container>();
let namespaces: Namespaces;
let ground: GuardedProcess | undefined;

beforeAll(async () => {
  chmodSync(workDir, 0o711);
  const layersDir = path.join(workDir, 'layers');
  mkdirSync(layersDir);
  namespaces = await openNamespaces(layersDir);
  await nameTheContainers();
  await buildImages();
}, 8 * MINUTE);

afterAll(async () => {
  await ground?.stop();
  await namespaces?.close();
  // Postgres and Kafka follow their killed starter, and write until they have.
  rmSync(workDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

describe('the images', () => {
  it.each(SERVICES)('%s has no more in it than it runs', (name) => {
    const layers = (images.get(name)?.layers ?? []).map((layer) => namespaces.visible(layer));
    const own = layers.slice(0, name === 'gateway' ? 5 : 2);
    const has = (file: string) => own.some((layer) => existsSync(path.join(layer, file)));
    expect(has(name === 'gateway' ? 'usr/share/nginx/html/index.html' : 'app/main.mjs')).toBe(true);
    for (const file of [
      'package-lock.json',
      'infra',
      '.git',
      'node_modules/typescript',
      'packages/testing',
    ]) {
      expect(has(`app/${file}`)).toBe(false);
    }
  });

  it.each(SERVICES)('%s says what is in it', (name) => {
    const file = name === 'gateway' ? 'etc/nginx/sbom.cdx.json' : 'app/sbom.cdx.json';
    const layers = (images.get(name)?.layers ?? []).map((layer) => namespaces.visible(layer));
    const layer = layers.find((each) => existsSync(path.join(each, file))) ?? '';
    const listed = listedIn(path.join(layer, file));
    const wanted =
      name === 'gateway'
        ? ['react', 'swagger-ui-dist']
        : installedIn(path.join(layer, 'app/node_modules'));
    expect(listed).toEqual(expect.arrayContaining([...wanted]));
  });

  it.each(SERVICES)('%s runs as a numbered user who is not root', (name) => {
    expect(images.get(name)?.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });
});

describe('docker-compose.yml, carried out without an engine', () => {
  it('makes the secrets once', async () => {
    const job = await create('secrets');
    expect({ code: await job.complete(), logs: job.logs() }).toMatchObject({ code: 0 });
    const file = path.join(workDir, 'volumes/secrets-installation/secrets.json');
    const made = readFileSync(file, 'utf8');
    expect(await job.complete()).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(made);
  });

  it('makes a database for each service', async () => {
    await startGround();
    const password = readFileSync(path.join(workDir, 'admin-password'), 'utf8');
    const env = {
      PATH: process.env['PATH'],
      PGHOST: '127.0.0.1',
      PGUSER: 'junction',
      PGPASSWORD: password,
      POSTGRES_USER: 'junction',
      POSTGRES_DB: 'postgres',
      PASSWORDS_DIR: path.join(workDir, 'volumes/secrets-postgres'),
    };
    await namespaces.run([path.join(ROOT, 'infra/postgres/10-databases.sh')], { env });
    const owners =
      'select datname, datdba::regrole from pg_database where datdba::regrole::text = datname order by 1';
    const made = await namespaces.run(['psql', '-d', 'postgres', '-Atc', owners], { env });
    expect(made).toBe('auth|auth\nintegrations|integrations\nwebhooks|webhooks\n');
  });

  it.each(JOBS)('completes %s', async (name) => {
    const job = await create(name);
    expect({ code: await job.complete(), logs: job.logs() }).toMatchObject({ code: 0 });
  });

  it.each(SERVICES)('starts %s until it is healthy', async (name) => {
    const container = await create(name);
    container.start();
    const healthy = eventually(() => container.healthy(), { deadlineMs: MINUTE, pollMs: 200 });
    await expect(healthy).resolves.toBeUndefined();
  });

  it('gives none of them a right it does not need', () => {
    for (const name of SERVICES) {
      const status = readFileSync(`/proc/${containers.get(name)?.pid}/status`, 'utf8');
      const uid = images.get(name)?.user.split(':')[0];
      expect(status).toMatch(new RegExp(`^Uid:\\t${uid}\\t${uid}\\t`, 'm'));
      expect(status).toMatch(/^CapEff:\t0+$/m);
      expect(status).toMatch(/^CapBnd:\t0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
      const mounts = readFileSync(`/proc/${containers.get(name)?.pid}/mountinfo`, 'utf8');
      expect(mounts).toMatch(/^\d+ \d+ \S+ \/ \/ ro,/m);
    }
  });

  it('serves the product at the gateway', async () => {
    const json = { email: 'ada@example.com', password: 'correct horse battery' };
    expect(await askWithin(namespaces, 'POST', '/api/auth/register', { json })).toMatchObject({
      status: 201,
    });
    const login = await askWithin(namespaces, 'POST', '/api/auth/login', { json });
    const { access_token: token } = JSON.parse(login.body) as { access_token: string };
    const mine = { headers: { authorization: `Bearer ${token}` } };
    for (const [id, origin] of [
      ['acme', 'http://localhost:8090'],
      ['globex', 'http://localhost:8093'],
    ]) {
      const authorize = `/api/integrations/mailbox/authorize?identity_provider=${id}`;
      const begun = await askWithin(namespaces, 'GET', authorize, mine);
      const { authorization_url: url } = JSON.parse(begun.body) as { authorization_url: string };
      expect(new URL(url).origin).toBe(origin);
    }
    expect(await askWithin(namespaces, 'GET', '/api/webhooks', mine)).toMatchObject({
      status: 200,
    });

    const page = await askWithin(namespaces, 'GET', '/', { headers: { accept: 'text/html' } });
    expect(page.body).toMatch(/<script [^>]*src="\/assets\//);
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
  });

  it.each(SERVICES.toReversed())('stops %s in order', async (name) => {
    expect(await containers.get(name)?.stop()).toBe(0);
  });
});

async function buildImages(): Promise<void> {
  const builder = new ImageBuilder(namespaces, workDir, ROOT);
  for (const name of SERVICES) {
    const { build } = serviceOf(name);
    if (build === undefined) throw new Error(`${name} is not built.`);
    images.set(name, await builder.build(build.dockerfile, build.args));
  }
}

/** The image that a service names: one of those built, or, for a plain Node, this machine. */
function imageOf({ image }: ComposeService): Image {
  const built = SERVICES.find((name) => serviceOf(name).image === image);
  const found = images.get(built ?? '');
  if (found !== undefined) return found;
  if (!image.startsWith('node:')) throw new Error(`${image} cannot be stood in for.`);
  const plain = { layers: [], key: image, env: {}, workdir: '/', user: '0:0' };
  return { ...plain, entrypoint: [], healthcheck: [], stopSignal: 'SIGTERM' };
}

function serviceOf(name: string): ComposeService {
  const service = compose[name];
  if (service === undefined) throw new Error(`docker-compose.yml has no ${name}.`);
  return service;
}

async function create(name: string): Promise<Container> {
  const service = serviceOf(name);
  const replaced = name === 'gateway' ? { '/etc/nginx/upstreams.conf': upstreams() } : {};
  const places = { root: ROOT, workDir, hosts, replaced };
  const container = await Container.create(name, imageOf(service), service, namespaces, places);
  containers.set(name, container);
  return container;
}

/** Debian's nginx is older than `resolve`, and nothing here changes its address. */
function upstreams(): string {
  const text = readFileSync(path.join(ROOT, 'infra/gateway/upstreams.conf'), 'utf8');
  const file = path.join(workDir, 'upstreams.conf');
  writeFileSync(file, text.replace(/^resolver .*\n/m, '').replaceAll(' resolve;', ';'));
  return file;
}

/** Gives every container's name the address of this machine, because all containers have one network. */
async function nameTheContainers(): Promise<void> {
  const names = ['localhost', ...Object.keys(compose)];
  writeFileSync(hosts, `127.0.0.1 ${names.join(' ')}\n`);
  await namespaces.run(['mount', '--bind', hosts, '/etc/hosts']);
}

/** Postgres and Kafka, where the compose file has them. */
async function startGround(): Promise<void> {
  const dataDir = path.join(workDir, 'ground');
  mkdirSync(dataDir, { mode: 0o711 });
  const script = `
    import { writeFileSync } from 'node:fs';
    import { startBackends } from ${JSON.stringify(LOCAL_STACK)};
    const { postgres } = await startBackends({
      dataDir: ${JSON.stringify(dataDir)}, postgresPort: 5432, kafkaPort: 19092,
      ephemeral: true, env: { PATH: process.env.PATH, JUNCTION_BACKENDS: 'embedded' }, say: console.error,
    });
    const { password } = new URL(postgres.adminUrl);
    writeFileSync(${JSON.stringify(path.join(workDir, 'admin-password'))}, decodeURIComponent(password), { mode: 0o600 });
  `;
  // The servers look for themselves in /proc, which shows the processes of the machine: they get no namespace for
  // processes.
  const [command = '', ...enter] = namespaces.enter({ processes: false });
  ground = spawnGuarded({
    command,
    args: [...enter, process.execPath, '--input-type=module', '--eval', script],
    log: path.join(workDir, 'ground.log'),
    stopSignal: 'SIGKILL',
    graceMs: 1_000,
  });
  await eventually(
    () => {
      if (existsSync(path.join(workDir, 'admin-password'))) return;
      throw new Error(readFileSync(path.join(workDir, 'ground.log'), 'utf8'));
    },
    { deadlineMs: 90_000, pollMs: 100 },
  );
}
