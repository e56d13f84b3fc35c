import { EventEmitter } from 'node:events';
import type { DestinationStream } from 'pino';
import { z } from 'zod';
import type { databaseConfig } from '../src/process/config/common-environment.js';
import { parseConfig } from '../src/process/config/parse-config.js';
import {
  type ProcessConfig,
  type ProcessDefinition,
  runProcess,
} from '../src/process/run-process.js';
import type { Host } from '../src/process/stopper.js';
import { closeLater, until } from './loopback.js';

const schema = z.object({ DATABASE_URL: z.string(), GREETING: z.string() }).transform(() => ({
  logLevel: 'info',
  http: { host: '127.0.0.1', port: 0 },
  stopDelayMs: 0,
}));

type Config = z.infer<typeof schema>;

type JobConfig = ReturnType<ReturnType<typeof databaseConfig>>;

interface Started extends Partial<ProcessDefinition<ProcessConfig, JobConfig>> {
  readonly stopDelayMs?: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly words?: readonly string[];
}

/** Runs a service on this host. */
export const start = (
  host: EventEmitter & Pick<Host, 'exit' | 'stdout' | 'stderr'>,
  logDestination: DestinationStream,
  { stopDelayMs = 0, env = ENVIRONMENT, words = [], ...overrides }: Started,
): Promise<void> =>
  runProcess<ProcessConfig, JobConfig>(
    {
      name: 'test',
      config: (env): Config => ({ ...parseConfig(schema, env), stopDelayMs }),
      serve: async () => undefined,
      commands: {},
      ...overrides,
    },
    Object.assign(host, { env, argv: ['node', 'main.js', ...words] }),
    logDestination,
  );

const ENVIRONMENT = { DATABASE_URL: 'x', GREETING: 'y' };

/** Exit code of a command that SIGTERM ended. */
const ENDED = 143;

/** Creates a host of a process that notes its exits, and a log that can be read back. */
export function run() {
  const exits: number[] = [];
  const errors: string[] = [];
  const said: string[] = [];
  const lines: string[] = [];
  const host = Object.assign(new EventEmitter(), {
    exit: (code: number) => exits.push(code),
    stdout: { write: (text: string) => said.push(text) },
    stderr: { write: (text: string) => errors.push(text) },
  });
  closeLater(async () => {
    const isOver = () => exits.includes(ENDED) || log.text().includes('"msg":"stopped"');
    if (host.emit('SIGTERM')) await until(isOver);
  });
  const log = { write: (line: string) => void lines.push(line), text: () => lines.join('') };
  const output = { stdout: () => said.join(''), stderr: () => errors.join('') };
  return { host, exits, ...output, log };
}
