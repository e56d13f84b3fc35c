import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { MEMORY_OPTIONS } from '@junction/local-stack';
import { reasonIn } from '@junction/local-stack/process';
import { freePort } from '@junction/testing';
import { until } from './clock.js';
import { ask, ended } from './dispatch/ask.js';

const SERVICES = path.resolve(import.meta.dirname, '../../../services');
/** Module that answers what its process has used. */
export const PROBE = path.join(import.meta.dirname, '../dist/dispatch/probe.js');
const READY_WITHIN_MS = 60_000;
/** Characters of what a service said last: it logs errors alone. */
const LAST_WORDS_MAX = 4_000;

/** Resources that a service has used since it started. */
export interface Used {
  readonly statements: number;
  /** User and system time. */
  readonly cpuS: number;
  readonly rssMb: number;
}

/** A replica, as a process of its own. */
export interface ServiceProcess {
  readonly pid: number | undefined;
  readonly url: string;
  readonly grpcAddress: string;
  used(): Promise<Used>;
  end(signal: NodeJS.Signals): Promise<void>;
}

export interface ServiceOptions {
  /** The name of its folder. */
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  readonly nodeOptions?: readonly string[];
  /** The binary. Unless given: the one that the bench runs on. */
  readonly node?: string;
  readonly signal: AbortSignal;
}

export async function migrateService({ name, env }: ServiceOptions): Promise<void> {
  const child = spawn(process.execPath, [mainOf(name), 'migrate'], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`The migration of ${name} ended with ${code}.`);
}

/**
 * Starts a service and resolves once it is ready. The service also ends when this process goes away without ending
 * it.
 */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const { name, env, nodeOptions = [], node = process.execPath, signal } = options;
  const [httpPort, grpcPort] = [await freePort(), await freePort()];
  const args = [...MEMORY_OPTIONS, ...nodeOptions, '--import', PROBE, mainOf(name)];
  const child = spawn(node, args, {
    env: { ...env, HTTP_PORT: String(httpPort), GRPC_PORT: String(grpcPort) },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let lastWords = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    lastWords = `${lastWords}${chunk.toString()}`.slice(-LAST_WORDS_MAX);
  });
  const url = `http://127.0.0.1:${httpPort}`;
  const service = {
    pid: child.pid,
    url,
    grpcAddress: `127.0.0.1:${grpcPort}`,
    used: () => ask<Used>(child, {}),
    end: (signal: NodeJS.Signals) => ended(child, () => child.kill(signal)),
  };
  try {
    const patience = { deadlineMs: READY_WITHIN_MS, signal };
    await until(`The start of ${name}`, () => isReady(child, url), patience);
    return service;
  } catch (error) {
    await service.end('SIGKILL');
    throw new Error(`${name} did not start: ${reasonIn(lastWords.trim())}`, { cause: error });
  }
}

const mainOf = (name: string): string => path.join(SERVICES, name, 'dist/src/main.js');

async function isReady(child: ChildProcess, url: string): Promise<true | undefined> {
  const ended = child.exitCode ?? child.signalCode;
  if (ended !== null) throw new Error(`It ended with ${ended}.`);
  const answer = await fetch(`${url}/internal/health/ready`).catch(() => undefined);
  return answer?.ok === true ? true : undefined;
}
