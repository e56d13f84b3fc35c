import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { CHECKPOINTS } from '@junction/local-stack';
import { readCompose } from './containers/compose-file.js';
import {
  buildOverlay,
  documentedSecrets,
  environmentOf,
  hasTopicsJob,
  type Manifest,
  ofKind,
  parseManifests,
  ROOT,
  secretsOf,
  type Workload,
  workloadsOf,
} from './manifests.js';

const SERVICES = ['auth', 'integrations', 'webhook-dispatcher'];
/** Default of STOP_DELAY_MS, for a service that does not set it. */
const STOP_DELAY_MS = 3_000;
const documented = documentedSecrets();
/** Variables that name the file of a secret. */
const SECRET_FILE = /(_SECRET|_PASSWORD|_DATABASE_URL|SMTP_URL|VAULT_KEYS)_FILE$/;
const folder = mkdtempSync(path.join(tmpdir(), 'junction-manifests-'));
afterAll(() => rmSync(folder, { recursive: true }));

const OVERLAYS = ['development', 'production', 'operators', 'restore'];

it('all settings are what the services and their migrations accept', () => {
  const asked = OVERLAYS.flatMap((overlay) => {
    const manifests = parseManifests(buildOverlay(overlay));
    const workloads = workloadsOf(manifests);
    return SERVICES.flatMap((name) => [name, `${name}-migrate`]).map((name) => ({
      of: `${name} in ${overlay}`,
      service: name.replace('-migrate', ''),
      // Words that are no command: with settings it can use, a service or its Job says so, and ends.
      words: name.endsWith('-migrate') ? ['migrate', 'settings'] : ['settings'],
      env: withFiles(environment(find(workloads, name), manifests), manifests),
    }));
  });
  expect(readSettings(asked)).toEqual(
    asked.map(({ of, service }) => ({
      of,
      status: 1,
      stderr: expect.stringMatching(
        new RegExp(`^${service}: the commands are ".+"; without one the service starts.\n$`),
      ),
    })),
  );
});

describe.each(OVERLAYS)('the settings for %s', (overlay) => {
  const manifests = parseManifests(buildOverlay(overlay));
  const workloads = workloadsOf(manifests);
  const services = workloads.filter(({ labels }) => labels['junction.dev/role'] === 'service');

  it('give a Job what it reads, and no more', () => {
    const jobs = workloads.filter(({ labels }) => labels['junction.dev/role'] === 'job');
    const read = /^(?:[A-Z]+_DATABASE_URL_FILE|DATABASE_TLS_CA_FILE)$/;
    const readOfKafka = /^(?:JUNCTION_ENV|KAFKA_\w+)$/;
    for (const job of jobs) {
      const isTopics = job.labels['app.kubernetes.io/name'] === 'topics';
      const names = Object.keys(environment(job, manifests));
      expect(names.filter((name) => !(isTopics ? readOfKafka : read).test(name))).toEqual([]);
      // The hash in its name would not know what a ConfigMap holds.
      expect(job.pod.containers).toEqual([
        expect.not.objectContaining({ envFrom: expect.anything() }),
      ]);
    }
    expect(jobs).toHaveLength(hasTopicsJob(overlay) ? 4 : 3);
  });

  it('are what the topics job accepts, where there is one', () => {
    if (!hasTopicsJob(overlay)) return expect(ofKind(manifests, 'KafkaTopic')).toHaveLength(10);
    const env = environment(find(workloads, 'topics'), manifests);
    // Read once everything else has been accepted, and not there.
    const caFile = '/nonexistent/ca.crt';
    const settings = { ...env, KAFKA_SSL_CA_FILE: caFile };
    const { status, stderr } = runProgram(
      'packages/messaging/dist/main.js',
      withFiles(settings, manifests),
    );
    expect(status).toBe(1);
    expect(stderr).toContain(`ENOENT: no such file or directory, open '${caFile}'`);
  });

  it('name no key that the table of Secrets does not', () => {
    const uses = workloads.flatMap(({ pod }) => secretsOf(pod));
    expect(uses.length).toBeGreaterThan(15);
    for (const { name, key } of uses) {
      const keys = expect.arrayContaining(key === undefined ? [] : [key]);
      expect({ name, keys: documented.get(name) }).toEqual({ name, keys });
    }
  });

  it('name files that are mounted', () => {
    const jobs = workloads.filter(({ labels }) => labels['junction.dev/role'] === 'job');
    let checked = 0;
    for (const service of [...services, ...jobs]) {
      const env = environment(service, manifests);
      const read = jobs.includes(service) ? SECRET_FILE : /_FILE$/;
      const files = Object.entries(env).filter(([name]) => read.test(name));
      checked += files.length;
      for (const [variable, file] of files) {
        const held = mountedAt(service, path.dirname(file), manifests);
        expect({ of: service.name, variable, held }).toEqual({
          of: service.name,
          variable,
          held: expect.arrayContaining([path.basename(file)]),
        });
      }
    }
    expect(checked).toBeGreaterThan(15);
  });

  it('pass no Secret as a variable, but to the development providers', () => {
    const containers = workloads.flatMap(({ pod }) => pod.containers);
    for (const { name, env = [] } of containers.filter(({ image }) => !isProvider(image))) {
      const secrets = env.filter(({ valueFrom }) => valueFrom !== undefined);
      expect({ name, secrets }).toEqual({ name, secrets: [] });
    }
  });

  it('give integrations every variable that its providers name', () => {
    const held = ofKind(manifests, 'ConfigMap').flatMap(
      ({ data }) => data?.['providers.yaml'] ?? [],
    );
    const variables = [...(held[0] ?? '').matchAll(/env:(\w+)/g)].map(([, name = '']) => name);
    expect(variables.length).toBeGreaterThan(1);
    const env = environment(find(workloads, 'integrations'), manifests);
    const told = Object.keys(env).map((name) => name.replace(/_FILE$/, ''));
    expect(told).toEqual(expect.arrayContaining(variables));
  });

  it('name Services that exist, at their ports', () => {
    const ports = new Set(
      ofKind(manifests, 'Service').flatMap(({ metadata, spec }) =>
        (spec.ports as { port: number }[]).map(({ port }) => `${metadata.name}:${port}`),
      ),
    );
    const env = environment(find(workloads, 'integrations'), manifests);
    const { AUTH_JWKS_URL = '', AUTH_TOKEN_URL = '', AUTH_GRPC_ADDRESS = '' } = env;
    const gateway = ofKind(manifests, 'ConfigMap').find(({ data }) => data?.['upstreams.conf']);
    const upstreams = gateway?.data?.['upstreams.conf']?.matchAll(/server (\S+:\d+)/g) ?? [];
    const named = [
      ...[AUTH_JWKS_URL, AUTH_TOKEN_URL].map((url) => new URL(url).host),
      AUTH_GRPC_ADDRESS.replace('dns:///', ''),
      ...[...upstreams].map(([, address = '']) => address),
    ];
    expect(new Set(named).size).toBe(4);
    for (const address of named) expect([...ports]).toContain(address);
  });

  it('let a service stop before it is killed', () => {
    for (const service of services) {
      const delayMs = Number(environment(service, manifests)['STOP_DELAY_MS']);
      const { terminationGracePeriodSeconds: graceS = 0 } = service.pod;
      const { name } = service;
      const isEnough = graceS * 1_000 > delayMs + closeMaxMs(name);
      expect({ name, isEnough }).toEqual({ name, isEnough: true });
    }
  });
});

it('docker-compose.yml lets a service stop before it is killed', () => {
  const composed = Object.entries(readCompose(path.join(ROOT, 'docker-compose.yml')));
  const ours = composed.filter(([name]) => SERVICES.includes(name));
  expect(ours).toHaveLength(SERVICES.length);
  for (const [name, { stop_grace_period: grace, environment: env }] of ours) {
    const delayMs = Number(env['STOP_DELAY_MS'] ?? STOP_DELAY_MS);
    const isEnough = Number.parseInt(grace, 10) * 1_000 > delayMs + closeMaxMs(name);
    expect({ name, isEnough }).toEqual({ name, isEnough: true });
  }
});

it.each([
  ['production', 100],
  ['operators', 200],
])(
  'each service of %s fits a Postgres of its own with %d connections, in a rollout too',
  (overlay, connections) => {
    const manifests = parseManifests(buildOverlay(overlay));
    const given = ofKind(manifests, 'Cluster').map(({ spec }) => spec.postgresql.parameters);
    for (const { max_connections: max } of given) expect(Number(max)).toBe(connections);

    const most = [
      ...ofKind(manifests, 'HorizontalPodAutoscaler').map(({ spec }) => spec.maxReplicas as number),
      ...ofKind(manifests, 'ScaledObject').map(({ spec }) => spec.maxReplicaCount as number),
    ];
    const env = environment(find(workloadsOf(manifests), 'auth'), manifests);
    const max = Number(env['DATABASE_POOL_MAX']);
    // The pool, and the connections that packages/service opens beside it.
    const each = max + Math.max(2, Math.floor(max / 5)) + 2 + 1;
    expect(most).toHaveLength(SERVICES.length + 1);
    // Three are kept for superusers.
    expect((Math.max(...most) + 1) * each).toBeLessThanOrEqual(connections - 3);
  },
);

it('every Postgres has the checkpoints that npm start sets, and compresses its pages', () => {
  const advised = { ...CHECKPOINTS, wal_compression: 'lz4' };
  const { postgres } = readCompose(path.join(ROOT, 'docker-compose.yml'));
  const own = ofKind(parseManifests(buildOverlay('development')), 'StatefulSet').find(
    ({ metadata }) => metadata.name === 'postgres',
  );
  const commands = [postgres?.command, own?.spec.template.spec.containers[0].args];
  for (const command of commands as (readonly string[])[]) {
    const settings = command.filter((word) => word.includes('=')).map((word) => word.split('='));
    expect(Object.fromEntries(settings)).toEqual(advised);
  }
  const clusters = ofKind(parseManifests(buildOverlay('operators')), 'Cluster');
  expect(clusters).toHaveLength(SERVICES.length);
  for (const { spec } of clusters) expect(spec.postgresql.parameters).toMatchObject(advised);
});

it('scales in production whatever serves, and says the number of replicas in one place', () => {
  const manifests = parseManifests(buildOverlay('production'));
  const deployments = ofKind(manifests, 'Deployment');
  const scaled = [
    ...ofKind(manifests, 'HorizontalPodAutoscaler'),
    ...ofKind(manifests, 'ScaledObject'),
  ].map(({ spec }) => spec.scaleTargetRef.name as string);
  expect(scaled.sort()).toEqual(deployments.map(({ metadata }) => metadata.name).sort());
  for (const { spec } of deployments) expect(spec).not.toHaveProperty('replicas');
});

it('a restore brings all three databases to one moment, and has the services and Jobs read those', () => {
  const before = ofKind(parseManifests(buildOverlay('operators')), 'Cluster');
  const manifests = parseManifests(buildOverlay('restore'));
  const clusters = ofKind(manifests, 'Cluster');
  expect(clusters.map(({ spec }) => spec.bootstrap)).toEqual(
    before.map(({ metadata, spec }) => ({
      recovery: {
        source: metadata.name,
        ...spec.bootstrap.initdb,
        recoveryTarget: {
          targetTime: clusters[0]?.spec.bootstrap.recovery.recoveryTarget.targetTime,
        },
      },
    })),
  );
  expect(clusters.map(({ spec }) => spec.externalClusters)).toEqual(
    before.map(({ metadata: { name }, spec }) => [
      {
        name,
        plugin: {
          name: spec.plugins[0].name,
          parameters: { ...spec.plugins[0].parameters, serverName: name },
        },
      },
    ]),
  );
  const names = clusters.map(({ metadata }) => metadata.name);
  // A Cluster that kept its name would write its log over that which it is restored from.
  for (const { metadata } of before) expect(names).not.toContain(metadata.name);
  const backups = ofKind(manifests, 'ScheduledBackup');
  expect(backups.map(({ spec }) => spec.cluster.name)).toEqual(names);
  const written = names.flatMap((name) => [`${name}-app`, `${name}-ca`]);
  const mounted = workloadsOf(manifests)
    .flatMap(({ pod }) => secretsOf(pod))
    .map(({ name }) => name)
    .filter((name) => /-postgres-(app|ca)$/.test(name));
  expect([...new Set(mounted)].sort()).toEqual(written.sort());
});

it('operators are given certificates for the names that the services are called by', () => {
  const manifests = parseManifests(buildOverlay('operators'));
  const names = ofKind(manifests, 'Service').map(({ metadata }) => metadata.name);
  for (const service of SERVICES) {
    const certificate = ofKind(manifests, 'Certificate').find(
      ({ spec }) => spec.secretName === `${service}-grpc-tls`,
    );
    const [host = ''] = certificate?.spec.dnsNames ?? [];
    expect(names).toContain(host);
    expect(certificate?.spec).toMatchObject({
      dnsNames: [`${service}-grpc`, `${service}-grpc.junction.svc`],
      usages: expect.arrayContaining(['server auth', 'client auth']),
    });
  }
});

it('production is reached at its PUBLIC_URL', () => {
  const manifests = parseManifests(buildOverlay('production'));
  const [route] = ofKind(manifests, 'HTTPRoute');
  const env = environment(find(workloadsOf(manifests), 'auth'), manifests);
  expect(route?.spec.hostnames).toEqual([new URL(env['PUBLIC_URL'] ?? '').host]);
});

const isProvider = (image: string): boolean => image.startsWith('junction/dev-servers:');

/** Finds a workload by the name of its pods, which does not end with a release. */
function find(workloads: readonly Workload[], wanted: string): Workload {
  const found = workloads.find(({ labels }) => labels['app.kubernetes.io/name'] === wanted);
  if (found === undefined) throw new Error(`Nothing is named ${wanted}.`);
  return found;
}

/** Returns the environment of our own container; other containers may run in the same pod. */
function environment({ name, pod }: Workload, manifests: readonly Manifest[]) {
  const app = pod.containers.find((container) => container.name === 'app');
  if (app === undefined) throw new Error(`${name} has no container app.`);
  return environmentOf(app, manifests, secretValue);
}

function secretValue({ key }: { readonly key: string }): string {
  const random = randomBytes(32).toString('base64url');
  if (key === 'uri') return `postgresql://somebody:${random}@postgres:5432/db`;
  if (key === 'url') return `smtps://somebody:${random}@mail.example.com:465`;
  return key === 'vault-keys' ? `k1:${random}` : random;
}

/** Has one program read the environments of all services. Returns the outcome of each. */
function readSettings(
  asked: readonly {
    readonly of: string;
    readonly service: string;
    readonly words: readonly string[];
    readonly env: Environment;
  }[],
) {
  const { stdout } = runProgram('packages/acceptance/test/read-settings.mjs', process.env, asked);
  return JSON.parse(stdout) as unknown;
}

function runProgram(program: string, env: NodeJS.ProcessEnv, input: unknown = '') {
  const file = path.join(ROOT, program);
  if (!existsSync(file)) throw new Error(`${file} is missing: npm run build`);
  return spawnSync(process.execPath, [file], {
    env,
    encoding: 'utf8',
    input: JSON.stringify(input),
  });
}

type Environment = Readonly<Record<string, string>>;

/** The environment with each secret's file, and that of settings, where one is. */
function withFiles(env: Environment, manifests: readonly Manifest[]): Environment {
  const settings = ofKind(manifests, 'ConfigMap').find(
    ({ metadata: { name } }) => name === 'settings',
  );
  const held = Object.entries(env)
    .filter(([name]) => SECRET_FILE.test(name) || name === 'SETTINGS_FILE')
    .map(([name, named]) => {
      const key = path.basename(named);
      const value = SECRET_FILE.test(name) ? secretValue({ key }) : String(settings?.data?.[key]);
      // The content names the file: environments that are read together each have their own secrets.
      const secret = path.join(folder, createHash('sha256').update(value).digest('hex'));
      writeFileSync(secret, value);
      return [name, secret];
    });
  return { ...env, ...Object.fromEntries(held) };
}

/** The names of the files in a folder of a pod, as its volumes give them. */
function mountedAt({ pod }: Workload, folder: string, manifests: readonly Manifest[]) {
  const mount = pod.containers
    .flatMap(({ volumeMounts = [] }) => volumeMounts)
    .find(({ mountPath }) => mountPath === folder);
  const volume = pod.volumes?.find(({ name }) => name === mount?.name);
  if (volume?.secret) return documented.get(volume.secret.secretName) ?? [];
  const map = ofKind(manifests, 'ConfigMap').find(
    ({ metadata }) => metadata.name === volume?.configMap?.name,
  );
  return Object.keys(map?.data ?? {});
}

/** Returns how long a service may take to close, by its own source, or else by packages/service's. */
function closeMaxMs(service: string): number {
  const [main, kit] = [
    path.join(ROOT, 'services', service, 'src/main.ts'),
    path.join(ROOT, 'packages/service/src/process/stopper.ts'),
  ];
  const own = readFileSync(main, 'utf8');
  const source = own.includes('closeMaxMs') ? own : readFileSync(kit, 'utf8');
  const [, digits] = /const CLOSE_MAX_MS = ([\d_]+);/.exec(source) ?? [];
  if (digits === undefined) throw new Error(`Nothing says how long ${service} may take to close.`);
  return Number(digits.replaceAll('_', ''));
}
