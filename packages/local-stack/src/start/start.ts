import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { needed } from '../backends.js';
import { requireUnlocked } from '../data-lock.js';
import { freePort, requireFreePort } from '../ports.js';
import { type Ground, openBackends } from './backends.js';
import { writeEndpoints, writePids } from './endpoints.js';
import {
  addresses,
  authEnvironment,
  gatewayEnvironment,
  integrationsEnvironment,
  kafkaEnvironment,
  providerEnvironment,
  type World,
  webhooksEnvironment,
} from './environment.js';
import { type NodeProgram, nodeChild, runNode } from './node-child.js';
import { serviceAccounts, writeOwnerOnly } from './secrets.js';
import { type PortName, type Ports, readSettings } from './settings.js';
import { Supervisor } from './supervisor.js';
import { together } from './together.js';

// Others pass through to what is theirs (Postgres runs as its own user); nobody lists it.
const PASS_THROUGH = 0o711;
const SILENCE_MS = 10_000;

export interface StartOptions {
  /** The checkout. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  /** Calls the start off. */
  readonly signal: AbortSignal;
}

export interface Product {
  /** The line that says where it is. */
  readonly ready: string;
  /** Where what it starts writes to. */
  readonly logsDir: string;
  /** Resolves when a child died too often; the product has to be stopped then. */
  readonly gaveUp: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts everything `npm start` is: Postgres and Kafka unless the environment names others, the
 * topics, the migrations, the three services, the development provider and the front door.
 * @throws LocalStackError with words for the reader; whatever had been started is stopped then.
 */
export async function start(options: StartOptions): Promise<Product> {
  const { root, env, say, signal } = options;
  const settings = readSettings(env, root);
  openDataDir(settings.dataDir);
  requireUnlocked(settings.dataDir);

  let giveUp = () => {};
  const gaveUp = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  const children: Supervisor = new Supervisor({
    say,
    signal,
    onChange: () => writePids(settings.dataDir, children.pids()),
    onGiveUp: () => giveUp(),
  });

  try {
    const ports = await settledPorts(settings.ports, env);
    const ground = await openBackends({ ...options, ...settings, ports, children });
    const world = worldOf(options, settings.dataDir, ports, ground);
    await prepare(world, say, signal);
    await startChildren(world, children, say, signal);
    writeEndpoints(world);
    const stop = () => children.stop();
    return { ready: readyLine(world), logsDir: logsDirOf(settings.dataDir), gaveUp, stop };
  } catch (error) {
    await children.stop();
    throw error;
  }
}

/** Only what is ours to close and open: a folder that holds something already stays as it is. */
function openDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true });
  if (readdirSync(dataDir).length === 0) chmodSync(dataDir, PASS_THROUGH);
}

/** All of them are looked at before anything starts: nothing is half up for want of a port. */
async function settledPorts(ports: Ports, env: NodeJS.ProcessEnv): Promise<Ports> {
  const here = needed(env);
  const outside = new Set<PortName>();
  if (!here.postgres) outside.add('POSTGRES_PORT');
  if (!here.kafka) outside.add('KAFKA_PORT');
  const settled: [PortName, number][] = [];
  for (const [name, port] of Object.entries(ports) as [PortName, number][]) {
    if (port === 0) settled.push([name, await freePort()]);
    else {
      const server = name
        .replace(/_PORT$/, '')
        .toLowerCase()
        .replaceAll('_', ' ');
      const everywhere = name === 'GATEWAY_PORT'; // as its main.ts listens
      if (!outside.has(name)) await requireFreePort(port, { server, variable: name, everywhere });
      settled.push([name, port]);
    }
  }
  return Object.fromEntries(settled) as Ports;
}

function worldOf(
  { root, env }: StartOptions,
  dataDir: string,
  ports: Ports,
  ground: Ground,
): World {
  const serviceAccountsFile = path.join(dataDir, 'service-accounts.json');
  writeOwnerOnly(serviceAccountsFile, serviceAccounts(ground.secrets));
  return { root, dataDir, ports, serviceAccountsFile, outer: env, ...ground };
}

/** Topics and tables, before anyone reads or writes them. */
async function prepare(world: World, say: StartOptions['say'], signal: AbortSignal): Promise<void> {
  say('Preparing topics and tables …');
  const topics = program(
    world,
    'topics',
    'packages/messaging/dist/main.js',
    kafkaEnvironment(world),
  );
  const migrations = SERVICES.map(({ name, script, env }) => ({
    ...program(world, `${name}-migrate`, script, env(world)),
    args: ['migrate'],
  }));
  await together([topics, ...migrations].map((job) => patiently(job, runNode(job, signal), say)));
}

async function startChildren(
  world: World,
  children: Supervisor,
  say: StartOptions['say'],
  signal: AbortSignal,
): Promise<void> {
  say('Starting the services …');
  const { http, provider, gateway } = addresses(world);
  const served = [
    ...SERVICES.map(({ name, script, env, address }) => ({
      child: program(world, name, script, env(world)),
      readyUrl: `${http[address]}/internal/health/ready`,
    })),
    {
      child: program(
        world,
        'provider',
        'packages/dev-provider/dist/main.js',
        providerEnvironment(world),
      ),
      readyUrl: `${provider}/health`,
    },
    {
      child: program(
        world,
        'gateway',
        'packages/local-stack/dist/gateway/main.js',
        gatewayEnvironment(world),
      ),
      readyUrl: `${gateway}/.well-known/jwks.json`,
    },
  ];
  await together(
    served.map(({ child, readyUrl }) =>
      patiently(child, children.supervise(nodeChild(child, readyUrl, signal)), say),
    ),
  );
}

const SERVICES = [
  {
    name: 'auth',
    address: 'auth',
    script: 'services/auth/dist/src/main.js',
    env: authEnvironment,
  },
  {
    name: 'integrations',
    address: 'integrations',
    script: 'services/integrations/dist/src/main.js',
    env: integrationsEnvironment,
  },
  {
    name: 'webhook-dispatcher',
    address: 'webhooks',
    script: 'services/webhook-dispatcher/dist/src/main.js',
    env: webhooksEnvironment,
  },
] as const;

/** Says what is waited for once it takes longer than it should. */
async function patiently(
  { name, logsDir }: NodeProgram,
  work: Promise<void>,
  say: StartOptions['say'],
): Promise<void> {
  const log = path.join(logsDir, `${name}.log`);
  const late = setTimeout(() => say(`Waiting for ${name}, which writes to ${log} …`), SILENCE_MS);
  await work.finally(() => clearTimeout(late));
}

const logsDirOf = (dataDir: string) => path.join(dataDir, 'logs');

const program = (
  world: World,
  name: string,
  script: string,
  env: Readonly<Record<string, string>>,
): NodeProgram => ({
  name,
  script: path.join(world.root, script),
  env,
  logsDir: logsDirOf(world.dataDir),
});

function readyLine(world: World): string {
  const { gateway, provider } = addresses(world);
  return `Junction is ready: ${gateway} (provider ${provider}, Kafka ${world.kafkaBrokers}). Ctrl-C stops it.`;
}
