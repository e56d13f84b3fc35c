import { setTimeout as sleep } from 'node:timers/promises';
import {
  addresses,
  type BackendName,
  type Backends,
  freePort,
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
import { startNginx } from '@junction/testing';
import { type Endpoints, readEndpoints } from '../endpoints.js';
import { newSite, type Site } from '../parts/site.js';

/** The default, which infra/gateway/upstreams.conf counts on. */
const STOP_DELAY_MS = 3_000;
const REPLICAS = 2;
const SERVICES = ['auth', 'integrations', 'webhooks'] as const;
const PREPARED_WITHIN_MS = 60_000;

/** How one replica was stopped and started again. */
export interface Restart {
  readonly replica: string;
  /** In words: `exit code 0`. */
  readonly ended: string;
  readonly stopMs: number;
  readonly startMs: number;
}

/** The product as a balancer sees it: two of each service behind nginx. */
export interface Replicated {
  readonly endpoints: Endpoints;
  /** The replicas, in the order in which a rolling restart takes them. */
  readonly replicas: readonly string[];
  /** SIGTERM, and again from the beginning, until it is ready. */
  restart(replica: string): Promise<Restart>;
  /** Kills a server of the product. Resolves when it is back, that long after. */
  outage(server: BackendName, awayMs: number): Promise<void>;
  /** How many requests nginx had to ask a second replica for. */
  askedTwice(): number;
  stop(): Promise<void>;
}

interface Replica {
  readonly program: Served;
  running: Running;
}

/** Starts everything on free ports, with throw-away data. Whatever had been started is stopped on failure. */
export async function startReplicated(env: NodeJS.ProcessEnv): Promise<Replicated> {
  const ports = await replicaPorts();
  const at = (service: ServiceName, protocol: keyof Address) =>
    ports[service].map((each) => `127.0.0.1:${each[protocol]}`);
  const upstreams = {
    auth: at('auth', 'http'),
    integrations: at('integrations', 'http'),
    webhooks: at('webhooks', 'http'),
  };
  const nginx = await startNginx({ upstreams });
  const site = await newSite(env, { GATEWAY_PORT: Number(new URL(nginx.url).port) });
  site.closeLater(() => nginx.stop());
  try {
    const backends = await startFoundations(site);
    const replicas = await startReplicas(site, ports, at('auth', 'grpc'));
    writeEndpoints(site.world);
    const endpoints = readEndpoints(site.world.dataDir);
    const integrations = `ipv4:${at('integrations', 'grpc').join()}`;
    return {
      endpoints: { ...endpoints, grpc: { ...endpoints.grpc, integrations } },
      replicas: [...replicas.keys()],
      restart: async (name) => restarted(site, name, replicas.get(name)),
      outage: async (server, awayMs) => away(backends, server, awayMs),
      askedTwice: () => timesAskedTwice(nginx.accessLog()),
      stop: () => site.close(),
    };
  } catch (error) {
    await site.close();
    throw error;
  }
}

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
  const signal = AbortSignal.timeout(PREPARED_WITHIN_MS);
  await together(preparations(world).map(async (job) => runNode(job, signal)));
  await together(providerPrograms(world).map(start));
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
    programs.map(async (program) => ({ program, running: await site.start(program) })),
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
    // What a slow machine makes fail is late, and must not look lost.
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

async function restarted(site: Site, name: string, replica: Replica | undefined): Promise<Restart> {
  if (replica === undefined) throw new Error(`There is no replica ${name}.`);
  const stopping = performance.now();
  await replica.running.stop();
  const ended = await replica.running.exited;
  const starting = performance.now();
  replica.running = await site.start(replica.program);
  return {
    replica: name,
    ended,
    stopMs: Math.round(starting - stopping),
    startMs: Math.round(performance.now() - starting),
  };
}

async function away(backends: Backends, server: BackendName, awayMs: number): Promise<void> {
  const pid = backends.pids()[server];
  if (pid === undefined) throw new Error(`${server} runs on no process of this machine.`);
  process.kill(pid, 'SIGKILL');
  await sleep(awayMs);
  await backends.restart(server);
}

/** nginx lists the replicas it tried, with commas between. */
const timesAskedTwice = (accessLog: string): number =>
  accessLog
    .split('\n')
    .filter((line) => line !== '')
    .filter((line) => (JSON.parse(line) as { upstream: string }).upstream.includes(',')).length;
