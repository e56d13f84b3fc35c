import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { needed } from '../backends.js';
import { requireUnlocked } from '../process/data-lock.js';
import { freePort, requireFreePort } from '../process/ports.js';
import { openBackends } from './backends.js';
import { writeEndpoints, writePids } from './endpoints.js';
import { addresses, type World } from './environment.js';
import { type NodeProgram, nodeChild, runNode } from './node-child.js';
import { logsDirOf, preparations, served, worldOf } from './services.js';
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
 * topics, the migrations, the three services, the development provider and the gateway.
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
    const world = worldOf({ root, dataDir: settings.dataDir, ports, outer: env }, ground);
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

/** Topics and tables, before anyone reads or writes them. */
async function prepare(world: World, say: StartOptions['say'], signal: AbortSignal): Promise<void> {
  say('Preparing topics and tables …');
  await together(preparations(world).map((job) => patiently(job, runNode(job, signal), say)));
}

async function startChildren(
  world: World,
  children: Supervisor,
  say: StartOptions['say'],
  signal: AbortSignal,
): Promise<void> {
  say('Starting the services …');
  await together(
    served(world).map(({ child, readyUrl }) =>
      patiently(child, children.supervise(nodeChild(child, readyUrl, signal)), say),
    ),
  );
}

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

function readyLine(world: World): string {
  const { gateway, provider } = addresses(world);
  return `Junction is ready: ${gateway} (provider ${provider}, Kafka ${world.kafkaBrokers}). Ctrl-C stops it.`;
}
