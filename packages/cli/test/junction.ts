import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { Product } from '@junction/demo';
import { run } from '../src/program.js';

const JUNCTION = path.resolve(import.meta.dirname, '../bin/junction.mjs');
const ENDED_WITHIN_MS = 60_000;

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  /** Output so far. */
  out(): string;
  err(): string;
  /** Interrupts the command, as Ctrl-C does. */
  interrupt(): void;
  readonly ended: Promise<Ended>;
}

/**
 * Starts the command as a person runs it: a process, an exit code and two streams. Tests can interrupt it,
 * and pipe text into it.
 */
export const startJunction = (
  product: Pick<Product, 'dataDir'> | undefined,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  /** Text that is piped in. */
  input = '',
): Running => start([process.execPath, JUNCTION, ...args], environment(product, env), input);

/** Starts a program with its arguments in this environment, and in no checkout. */
export function start(
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  input = '',
): Running {
  const child = spawn(command, args, {
    cwd: '/',
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: ENDED_WITHIN_MS,
  });
  child.stdin.end(input);
  const [out, err] = [textOf(child.stdout), textOf(child.stderr)];
  return {
    out,
    err,
    interrupt: () => void child.kill('SIGINT'),
    ended: endOf(child).then((code) => ({ code, out: out(), err: err() })),
  };
}

/** Runs it to its end in this process: starting one takes longer than what most commands do. */
export async function junction(...call: Parameters<typeof startJunction>): Promise<Ended> {
  const [product, args, env = {}, input = ''] = call;
  let [out, err] = ['', ''];
  const code = await run(args, {
    env: environment(product, env),
    cwd: '/',
    output: {
      out: (text) => {
        out += text;
      },
      note: (text) => {
        err += `${text}\n`;
      },
      isTerminal: false,
    },
    input: Readable.from(input === '' ? [] : [input]),
    signal: AbortSignal.timeout(ENDED_WITHIN_MS),
  });
  return { code, out, err };
}

const environment = (
  product: Pick<Product, 'dataDir'> | undefined,
  env: Readonly<Record<string, string>>,
) => ({
  PATH: process.env['PATH'],
  ...(product && { JUNCTION_DATA_DIR: product.dataDir }),
  ...env,
});

/** Parses the lines of JSON in an output. */
export const values = ({ out }: Pick<Ended, 'out'>): Record<string, unknown>[] =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

function textOf(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return () => text;
}

const endOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
