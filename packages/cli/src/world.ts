import type { JunctionClient } from '@junction/client';
import { type Command, Option } from 'commander';
import { type AsOperator, operatorAt } from './connection.js';
import { type Columns, line, listTable, type Output } from './output.js';
import { AUDIENCES, SERVICES, type ServiceName } from './settings.js';

/** Parts of the process that a command needs. */
export interface World {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly output: Output;
  /** Input that a person types, or that a script pipes in. */
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** Signal that Ctrl-C aborts. */
  readonly signal: AbortSignal;
}

/** Tools that an operator's command gets. */
export interface OpsContext {
  /** Client of the service, whose paths begin with /api/ops. */
  readonly ops: JunctionClient;
  /** Calls the same service with another scope. */
  readonly asOperator: AsOperator;
  readonly service: ServiceName;
  /** Parameter of paths that names the service. */
  readonly at: { readonly service: (typeof AUDIENCES)[ServiceName] };
  /** True for programs: one JSON value on each line. */
  readonly json: boolean;
  readonly output: Output;
  readonly signal: AbortSignal;
  /** Prints one JSON value for programs, or the text for people. */
  show(value: unknown, text: string): void;
  /** Prints a JSON value for each item for programs, or a table for people. */
  list<Item>(items: readonly Item[], listing: Listing<Item>): void;
}

interface Listing<Item> {
  readonly columns: Columns<Item>;
  /** Text in place of a table without rows. */
  readonly empty: string;
  /** The value for programs. Default: the item. */
  readonly json?: (item: Item) => unknown;
}

/** Options of a command line, by their names in camelCase. */
export type Options = Readonly<Record<string, unknown>>;

type Run = (context: OpsContext, args: readonly string[], options: Options) => Promise<void>;

/** Work of a command that only reads, or that writes, and the only service that has the operation. */
export interface Asked {
  /** Absent: the service that --service names. */
  readonly only?: ServiceName;
  readonly read?: Run;
  readonly write?: Run;
}

/** Lets a command talk to a service, as an operator who may write or only read. */
export function opsCommand(command: Command, world: World, { only, read, write }: Asked): Command {
  if (only === undefined) command.addOption(serviceOption());
  return command.option('--json', 'JSON for machines, a value on each line').action(async () => {
    const options = command.opts<Options & { service?: ServiceName; json?: boolean }>();
    const { service = only ?? 'auth', json = false } = options;
    const asOperator = operatorAt(world, service);
    const { output, signal } = world;
    const at = { service: AUDIENCES[service] };
    const show: OpsContext['show'] = (value, text) => output.out(json ? line(value) : text);
    const list: OpsContext['list'] = (items, { columns, empty, json: view = (item) => item }) => {
      if (!json) output.out(listTable(columns, items, empty));
      else for (const item of items) output.out(line(view(item)));
    };
    await asOperator(write ? 'write' : 'read', async (ops) => {
      const context = { ops, asOperator, service, at, json, output, signal, show, list };
      await (write ?? read)?.(context, command.processedArgs as string[], options);
    });
  });
}

/** Option for the service that a command is about. */
export const serviceOption = (): Option =>
  serviceNamed('the service to ask').env('JUNCTION_SERVICE').makeOptionMandatory();

/** Option with a service, by its name here or by that of its paths, metrics and findings. */
export function serviceNamed(description: string): Option {
  const option = new Option('-s, --service <service>', description).choices(SERVICES);
  const chosen = option.parseArg;
  const byPath = (text: string) => SERVICES.find((name) => AUDIENCES[name] === text) ?? text;
  return option.argParser((text, previous) => chosen?.(byPath(text), previous));
}
