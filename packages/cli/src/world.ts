import { type Command, Option } from 'commander';
import type { Connection } from './connection.js';
import type { Output } from './output.js';
import { SERVICES, type ServiceName, settingsOf } from './settings.js';

/** What of the process a command needs. */
export interface World {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly output: Output;
  /** What a person types, or a script pipes in. */
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** What a command works with. */
export interface Asking {
  readonly ops: Connection;
  readonly service: ServiceName;
  /** For a machine: one JSON value on each line. */
  readonly json: boolean;
  readonly output: Output;
  readonly signal: AbortSignal;
}

type Options = Readonly<Record<string, unknown>>;

/** Lets a command talk to the service that --service names, as an operator who may write or only read. */
export function asks(
  command: Command,
  world: World,
  may: 'read' | 'write',
  run: (asking: Asking, args: readonly string[], options: Options) => Promise<void>,
): Command {
  return asksOne()(command.addOption(serviceOption()), world, may, run);
}

/** The same for what only auth can do. */
export const asksAuth = asksOne('auth');

/** The same for what only webhook-dispatcher can do. */
export const asksWebhooks = asksOne('webhooks');

function asksOne(only?: ServiceName): typeof asks {
  return (command, world, may, run) =>
    command.option('--json', 'one JSON value on each line, for machines').action(async () => {
      const options = command.opts<Options & { service?: ServiceName; json?: boolean }>();
      const { service = only ?? 'auth', json = false } = options;
      const settings = settingsOf(world.env, world.cwd, service);
      // Only who asks by gRPC waits for it to be loaded.
      const { connect } = await import('./connection.js');
      const ops = connect(settings, service, { write: may === 'write' });
      const { output, signal } = world;
      try {
        await run({ ops, service, json, output, signal }, command.args, options);
      } finally {
        ops.close();
      }
    });
}

/** Whom a command is about. */
export const serviceOption = (): Option =>
  new Option('-s, --service <service>', 'whose events, projections, dead letters')
    .choices(SERVICES)
    .env('JUNCTION_SERVICE')
    .makeOptionMandatory();

/** Examples below the help of a command. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ junction ${line}`).join('\n')}\n`;
