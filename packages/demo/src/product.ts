import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { apart, LocalStackError } from '@junction/local-stack';
import { isAlive, markOf } from '@junction/local-stack/process';
import { freePort } from '@junction/testing';
import { type Endpoints, readEndpoints, readPids } from './endpoints.js';

const START = path.resolve(import.meta.dirname, '../../local-stack/bin/start.mjs');
const READY_WITHIN_MS = 180_000;
const STOPPED_WITHIN_MS = 30_000;

/** A whole product of its own: free ports, a data folder of its own, nothing shared. */
export interface Product {
  readonly endpoints: Endpoints;
  readonly dataDir: string;
  /** Address of each service's own database, as its own role. */
  readonly databaseUrls: readonly string[];
  /** Reads the pids anew each time, because a child that was started again has another pid. */
  pids(): Readonly<Record<string, number>>;
  /** Returns what the start has printed so far. */
  output(): string;
  /**
   * Stops the product as Ctrl-C would and deletes its data. Resolves to the exit code.
   * @throws when a process that the product started is still running: none may outlive it.
   */
  stop(): Promise<number | null>;
}

/** Runs `npm start` with the given additions to the environment and waits until it is ready; `signal` calls it off. */
export async function startProduct(
  env: NodeJS.ProcessEnv,
  additions: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Product> {
  // The user that Postgres runs as must be able to pass through; what is secret below is 0600.
  const dataDir = mkdtempSync('/var/tmp/junction-');
  chmodSync(dataDir, 0o711);
  const postgresPort = await freePort();
  const child = spawn(process.execPath, [START], {
    env: { ...apart(env, dataDir), POSTGRES_PORT: String(postgresPort), ...additions },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }

  const stop = async () => {
    const children = marksIn(dataDir);
    const code = await stopped(child);
    rmSync(dataDir, { recursive: true, force: true });
    const left = children.filter(([, mark]) => isAlive(mark)).map(([name]) => name);
    if (left.length > 0) throw new Error(`The product ended, and left behind ${left.join(', ')}.`);
    return code;
  };
  const callOff = () => void child.kill('SIGINT');
  signal?.addEventListener('abort', callOff, { once: true });
  try {
    await untilReady(child, () => output);
  } catch (error) {
    await stop();
    throw error;
  } finally {
    signal?.removeEventListener('abort', callOff);
  }
  return {
    endpoints: readEndpoints(dataDir),
    dataDir,
    databaseUrls: databaseUrls(dataDir, postgresPort),
    pids: () => readPids(dataDir),
    output: () => output,
    stop,
  };
}

/** The processes that run now, by name; none before the first is ready and after a stop. */
function marksIn(dataDir: string) {
  const pids = existsSync(path.join(dataDir, 'pids.json')) ? readPids(dataDir) : {};
  return Object.entries(pids).flatMap(([name, pid]) => {
    const mark = markOf(pid);
    return mark === undefined ? [] : [[name, mark] as const];
  });
}

function databaseUrls(dataDir: string, port: number): readonly string[] {
  const { databases } = JSON.parse(readFileSync(path.join(dataDir, 'secrets.json'), 'utf8')) as {
    databases: Record<string, string>;
  };
  return Object.entries(databases).map(
    ([name, password]) => `postgres://${name}:${password}@127.0.0.1:${port}/${name}`,
  );
}

function untilReady(child: ChildProcess, output: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => {
      clearTimeout(timer);
      reject(new LocalStackError(`${what}. It printed:\n${output()}`));
    };
    const timer = setTimeout(() => fail('The product was not ready in time'), READY_WITHIN_MS);
    child.once('exit', (code, signal) => fail(`The product ended (${code ?? signal})`));
    child.stdout?.on('data', () => {
      if (!/^Junction is ready/m.test(output())) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

function stopped(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS);
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve(code);
    });
    child.kill('SIGINT');
  });
}
