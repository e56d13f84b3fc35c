import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Endpoints, newSite, ROOT, readEndpoints, type Site } from '@junction/demo';
import {
  addresses,
  type BackendName,
  type Backends,
  openDatabases,
  preparations,
  providerPrograms,
  type Running,
  runNode,
  type Served,
  type ServiceName,
  serviceProgram,
  startBackends,
  together,
  type World,
  writeEndpoints,
} from '@junction/local-stack';
import { freePort } from '@junction/local-stack/process';
import { startNginx } from '@junction/testing';

/** The default, which infra/gateway/upstreams.conf counts on. */
const STOP_DELAY_MS = 3_000;
const REPLICAS = 2;
const SERVICES = ['auth', 'integrations', 'webhooks'] as const;
const PREPARED_WITHIN_MS = 60_000;

/** The stop and the new start of one replica. */
export interface Restart {
  readonly replica: string;
  /** Description of the end: `exit code 0`. */
  readonly ended: string;
  /** The program that was stopped, and the one that was started. */
  readonly before: string;
  readonly after: string;
  readonly stopMs: number;
  readonly startMs: number;
}

/** The product as a balancer sees it: two of each service behind nginx. */
export interface Replicated {
  readonly endpoints: Endpoints;
  /** The replicas, in the order in which a rolling restart takes them. */
  readonly replicas: readonly string[];
  /** `host:port` at which each replica answers HTTP. */
  readonly hosts: readonly string[];
  /** SIGTERM, and again from the beginning, until it is ready. */
  restart(replica: string): Promise<Restart>;
  /** Brings databases and topics up to this version while all replicas serve; restarts start it from then on. */
  upgrade(): Promise<void>;
  /** Returns the replicas that say they are not ready. */
  unready(): Promise<readonly string[]>;
  /** Returns the warnings and errors that each replica has logged so far. */
  warnings(): ReadonlyMap<string, readonly string[]>;
  /** Kills a server of the product. Resolves when it is back, that long after. */
  outage(server: BackendName, awayMs: number): Promise<void>;
  /** Address of each service's own database, as its own role. */
  readonly databaseUrls: readonly string[];
  /** Address of the Postgres of all services, as its superuser. */
  readonly adminUrl: string;
  /**
   * Kills Postgres, ends every replica, runs `meanwhile`, and starts all of it again, on prepared databases and
   * topics.
   */
  disaster(meanwhile: () => Promise<void>): Promise<void>;
  /** Returns how many requests nginx had to repeat at a second replica. */
  askedTwice(): number;
  stop(): Promise<void>;
}

interface Replica {
  /** Program of the next start. */
  program: Served;
  /** Script that runs now. */
  script: string;
  running: Running;
}

/**
 * Starts everything on free ports, with throw-away data, as it is built at `root`. Whatever had been started is stopped
 * on failure.
 */
export async function startReplicated(env: NodeJS.ProcessEnv, root = ROOT): Promise<Replicated> {
  const ports = await replicaPorts();
  const at = (service: ServiceName, protocol: keyof Address) =>
    ports[service].map((each) => `127.0.0.1:${each[protocol]}`);
  const nginx = await startNginx({ upstreams: ofEach((service) => at(service, 'http')) });
  const site = await newSite(env, { GATEWAY_PORT: Number(new URL(nginx.url).port) }, root);
  site.closeLater(() => nginx.stop());
  try {
    const backends = await startFoundations(site);
    const replicas = await startReplicas(site, ports, at('auth', 'grpc'));
    writeEndpoints(site.world);
    const endpoints = readEndpoints(site.world.dataDir);
    const grpc = ofEach((service) => `ipv4:${at(service, 'grpc').join()}`);
    const http = ofEach((service) => `http://${at(service, 'http')[0]}`);
    return {
      endpoints: { ...endpoints, grpc, http },
      replicas: [...replicas.keys()],
      hosts: SERVICES.flatMap((service) => at(service, 'http')),
      restart: async (name) => restarted(site, name, replicas.get(name)),
      upgrade: async () => upgraded(site, replicas),
      databaseUrls: Object.values(site.world.databaseUrls),
      adminUrl: backends.postgres?.adminUrl ?? '',
      disaster: async (meanwhile) => disaster(site, backends, replicas, meanwhile),
      unready: async () => unreadyOf([...replicas.values()]),
      warnings: () => new Map(Array.from(replicas, ([name, one]) => [name, warningsOf(one)])),
      outage: async (server, awayMs) => away(backends, server, async () => sleep(awayMs)),
      askedTwice: () => timesAskedTwice(nginx.accessLog()),
      stop: () => site.close(),
    };
  } catch (error) {
    await site.close();
    throw error;
  }
}

const ofEach = <T>(valueOf: (service: ServiceName) => T) => ({
  auth: valueOf('auth'),
  integrations: valueOf('integrations'),
  webhooks: valueOf('webhooks'),
});

interface Address {
  readonly http: number;
  readonly grpc: number;
}

async function replicaPorts(): Promise<Readonly<Record<ServiceName, readonly Address[]>>> {
  const two = async (): Promise<readonly Address[]> => {
    const addresses: Address[] = [];
    while (addresses.length < REPLICAS) {
      addresses.push({ http: await freePort(), grpc: await freePort() });
    }
    return addresses;
  };
  return { auth: await two(), integrations: await two(), webhooks: await two() };
}

async function startFoundations({ world, closeLater, start }: Site): Promise<Backends> {
  const { dataDir, ports, secrets, outer } = world;
  const say = () => undefined;
  const backends = await startBackends({
    dataDir,
    say,
    env: outer,
    postgresPort: ports.POSTGRES_PORT,
    kafkaPort: ports.KAFKA_PORT,
  });
  closeLater(() => backends.stop());
  await openDatabases(backends.postgres?.adminUrl, outer, secrets);
  await prepare(world);
  // The providers are no part of what is upgraded.
  await together(providerPrograms({ ...world, root: ROOT }).map(start));
  return backends;
}

async function startReplicas(
  site: Site,
  ports: Readonly<Record<ServiceName, readonly Address[]>>,
  authGrpc: readonly string[],
): Promise<ReadonlyMap<string, Replica>> {
  const programs = SERVICES.flatMap((service) =>
    ports[service].map((address, index) =>
      replicaOf(site.world, service, { address, number: index + 1, authGrpc }),
    ),
  );
  const started = await together(
    programs.map(async (program) => {
      const running = await site.start(program);
      return { program, script: program.child.script, running };
    }),
  );
  return new Map(started.map((replica) => [replica.program.child.name, replica]));
}

function replicaOf(
  world: World,
  service: ServiceName,
  { address, number, authGrpc }: { address: Address; number: number; authGrpc: readonly string[] },
): Served {
  const { child } = serviceProgram(world, service);
  const { gateway } = addresses(world);
  const env = {
    ...child.env,
    STOP_DELAY_MS: `${STOP_DELAY_MS}`,
    // A slow machine may make attempts fail. The delivery must then arrive late, and not look lost.
    WEBHOOK_RETRY_SCHEDULE_S: '1,1,2,2,5,5,5,5,5',
    WEBHOOK_BREAKER_RESET_S: '1',
    HTTP_PORT: `${address.http}`,
    GRPC_PORT: `${address.grpc}`,
    AUTH_JWKS_URL: `${gateway}/.well-known/jwks.json`,
    AUTH_TOKEN_URL: `${gateway}/oauth/token`,
    AUTH_GRPC_ADDRESS: `ipv4:${authGrpc.join()}`,
  };
  const readyUrl = `http://127.0.0.1:${address.http}/internal/health/ready`;
  return { child: { ...child, name: `${child.name}-${number}`, env }, readyUrl };
}

async function upgraded({ world }: Site, replicas: ReadonlyMap<string, Replica>): Promise<void> {
  await prepare({ ...world, root: ROOT });
  for (const replica of replicas.values()) {
    const { child, readyUrl } = replica.program;
    const here = (file: string) => path.join(ROOT, path.relative(world.root, file));
    const preload = child.preload && { preload: here(child.preload) };
    replica.program = { child: { ...child, script: here(child.script), ...preload }, readyUrl };
  }
}

async function prepare(world: World): Promise<void> {
  const signal = AbortSignal.timeout(PREPARED_WITHIN_MS);
  await together(preparations(world).map(async (job) => runNode(job, signal)));
}

async function restarted(site: Site, name: string, replica: Replica | undefined): Promise<Restart> {
  if (replica === undefined) throw new Error(`There is no replica ${name}.`);
  const stopping = performance.now();
  await replica.running.stop();
  const ended = await replica.running.exited;
  const starting = performance.now();
  replica.running = await site.start(replica.program);
  const [before, after] = [replica.script, replica.program.child.script];
  replica.script = after;
  return {
    replica: name,
    ended,
    before,
    after,
    stopMs: Math.round(starting - stopping),
    startMs: Math.round(performance.now() - starting),
  };
}

async function unreadyOf(replicas: readonly Replica[]): Promise<readonly string[]> {
  const names = replicas.map(async ({ program: { child, readyUrl } }) => {
    const { ok } = await fetch(readyUrl);
    return ok ? [] : [child.name];
  });
  return (await Promise.all(names)).flat();
}

function warningsOf({ program: { child } }: Replica): readonly string[] {
  const log = readFileSync(path.join(child.logsDir, `${child.name}.log`), 'utf8');
  return log.split('\n').filter((line) => /^\{"level":"(warn|error)"/.test(line));
}

async function disaster(
  site: Site,
  backends: Backends,
  replicas: ReadonlyMap<string, Replica>,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const all = [...replicas.values()];
  await away(backends, 'postgres', async () => {
    await Promise.all(all.map(({ running }) => running.stop()));
    await meanwhile();
  });
  await prepare(site.world);
  await together(
    all.map(async (replica) => {
      replica.running = await site.start(replica.program);
    }),
  );
}

async function away(
  backends: Backends,
  server: BackendName,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const pid = backends.pids()[server];
  if (pid === undefined) throw new Error(`${server} runs on no process of this machine.`);
  process.kill(pid, 'SIGKILL');
  await meanwhile();
  await backends.restart(server);
}

/** nginx lists the replicas it tried, with commas between. */
const timesAskedTwice = (accessLog: string): number =>
  accessLog
    .split('\n')
    .filter((line) => line !== '')
    .filter((line) => (JSON.parse(line) as { upstream: string }).upstream.includes(',')).length;
