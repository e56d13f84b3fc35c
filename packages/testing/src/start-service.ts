import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { eventually } from './eventually.js';

const READY_WITHIN_MS = 60_000;
const POLL_MS = 50;
/** Module that starts telemetry, as in the images. Without OTEL_EXPORTER_OTLP_ENDPOINT it does nothing. */
const TELEMETRY = path.resolve(import.meta.dirname, '../../telemetry/dist/register/main.js');

export interface ServiceProgram {
  /** Absolute path of the built main. */
  readonly main: string;
  readonly env: NodeJS.ProcessEnv;
  /** Answers 200 once the service is ready. */
  readonly readyUrl: string;
  /** Whether the service's own command migrates the database first. */
  readonly migrates?: boolean | undefined;
}

/** A service as a process of its own. */
export interface StartedService {
  /** Everything it has printed, over all its lives. */
  readonly logs: () => string;
  /** Ends it, if it still runs, and gives the exit code; null after a signal. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
  readonly startAgain: () => Promise<void>;
  /** Sends the process a signal that does not end it. */
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly pid: () => number;
}

/** Starts a service on its database. Throws with all it printed when it does not become ready. */
export async function startService(program: ServiceProgram): Promise<StartedService> {
  const { readyUrl, migrates = false } = program;
  let logs = '';
  const launch = (...argv: readonly string[]): ChildProcess =>
    launched(program, argv, (text) => (logs += text));

  if (migrates) {
    const [code] = (await once(launch('migrate'), 'exit')) as [number | null];
    if (code !== 0) throw new Error(`The migration ended with ${code}:\n${logs}`);
  }

  let child: ChildProcess;
  const startAgain = async (): Promise<void> => {
    child = launch();
    const isReady = await eventually(
      async () => {
        if (child.exitCode !== null) return false;
        const answer = await fetch(readyUrl);
        const state = await answer.text();
        if (answer.status !== 200) throw new Error(`It is not ready (${state}):\n${logs}`);
        return true;
      },
      { deadlineMs: READY_WITHIN_MS, pollMs: POLL_MS },
    );
    if (!isReady) throw new Error(`It ended with ${child.exitCode}:\n${logs}`);
  };
  await startAgain();

  return {
    logs: () => logs,
    startAgain,
    signal: (signal) => void child.kill(signal),
    pid: () => child.pid ?? Number.NaN,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const exit = once(child, 'exit') as Promise<[number | null]>;
      child.kill(signal);
      return (await exit)[0];
    },
  };
}

function launched(
  { main, env }: ServiceProgram,
  argv: readonly string[],
  print: (text: string) => void,
): ChildProcess {
  const child = spawn(process.execPath, ['--import', TELEMETRY, main, ...argv], {
    // A test stops nobody who has a balancer in front.
    env: { STOP_DELAY_MS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => print(chunk.toString()));
  }
  return child;
}
