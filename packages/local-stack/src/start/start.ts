import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { LocalStackError } from '../local-stack-error.js';
import { inOneMessage, portMistakes } from '../preflight/preflight.mjs';
import type { Ports } from '../preflight/settings.mjs';
import { freePort } from '../process/ports.js';
import { openBackends } from './backends.js';
import { checkPrograms } from './check-programs.js';
import { writeEndpoints, writePids } from './endpoints.js';
import { addresses, type World } from './environment.js';
import { type NodeProgram, nodeChild, runNode } from './node-child.js';
import { logsDirOf, preparations, served, worldOf } from './services.js';
import { readSettings } from './settings.js';
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
  /** Three lines: where it is, what to do next, and where the rest is. */
  readonly ready: string;
  /** Resolves when a child died too often; the product has to be stopped then. */
  readonly gaveUp: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts everything `npm start` is: Postgres and Kafka unless the environment names others, the
 * topics, the migrations, the three services, the development providers, the development
 * mail server and the gateway.
 * @throws LocalStackError with words for the reader; whatever had been started is stopped then.
 */
export async function start(options: StartOptions): Promise<Product> {
  const { root, env, say, signal } = options;
  const { ports: asked, dataDir } = readSettings(env, root);
  const ports = await settledPorts(asked, env);
  const place = { root, dataDir, ports, outer: env };
  await checkPrograms(place, say, signal);
  openDataDir(dataDir);

  let giveUp = () => {};
  const gaveUp = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  const children: Supervisor = new Supervisor({
    say,
    signal,
    onChange: () => writePids(dataDir, children.pids()),
    onGiveUp: () => giveUp(),
  });

  try {
    const ground = await openBackends({ ...options, dataDir, ports, children });
    const world = worldOf(place, ground);
    await prepare(world, say, children.stopping);
    await startChildren(world, children, say);
    writeEndpoints(world);
    const stop = () => children.stop();
    return { ready: readyLines(world), gaveUp, stop };
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

/** Checks all ports before anything starts, so that a start never stops halfway for want of a port. */
async function settledPorts(ports: Ports, env: NodeJS.ProcessEnv): Promise<Ports> {
  const mistakes = await portMistakes(ports, env);
  if (mistakes.length > 0) throw new LocalStackError(inOneMessage(mistakes));
  const settled: [string, number][] = [];
  for (const [name, port] of Object.entries(ports))
    settled.push([name, port || (await freePort())]);
  return Object.fromEntries(settled) as Ports;
}

/** Topics and tables, before anyone reads or writes them. */
async function prepare(world: World, say: StartOptions['say'], signal: AbortSignal): Promise<void> {
  say('Preparing topics and tables …');
  const off = new AbortController();
  const either = AbortSignal.any([signal, off.signal]);
  await together(
    preparations(world).map((job) => patiently(job, runNode(job, either), say)),
    () => off.abort(),
  );
}

async function startChildren(
  world: World,
  children: Supervisor,
  say: StartOptions['say'],
): Promise<void> {
  say('Starting the services …');
  await together(
    served(world).map(({ child, readyUrl }) =>
      patiently(child, children.supervise(nodeChild(child, readyUrl, children.stopping)), say),
    ),
    () => children.callOff(),
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

function readyLines(world: World): string {
  const { gateway, mail } = addresses(world);
  return [
    `Junction is ready: ${gateway}`,
    'Sign up, or run npm run demo in another terminal.',
    `Ctrl-C stops it. Mail is at ${mail}, logs are in ${logsDirOf(world.dataDir)}.`,
  ].join('\n');
}
