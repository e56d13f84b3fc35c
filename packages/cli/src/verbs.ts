import { type ItemOf, type ListPath, QUERIES, type QueryParameter } from '@junction/client';
import { Command, Option } from 'commander';
import { firstOf } from './api/answers.js';
import { moment, uuid, whole } from './arguments.js';
import type { Columns } from './output.js';
import type { ServiceName } from './settings.js';
import { type Asked, type Options, opsCommand, type World } from './world.js';

/** Words of an argument or option: as the help names it, its purpose, its parser, and its default. */
export type Words = readonly [
  flags: string,
  about?: string | undefined,
  parse?: ((text: string, before: never) => unknown) | undefined,
  otherwise?: unknown,
];

/** Verb of the command line as data. */
export interface Verb {
  readonly name: string;
  readonly about: string;
  readonly args?: readonly Words[];
  readonly options?: readonly (Words | Option)[];
  /** Text of the help between options and examples. */
  readonly note?: string;
  /** Command lines that the help shows, without the name of the program. */
  readonly examples?: readonly string[];
}

/** Verb of operators: it asks one service, with a token that may `read` or `write`. */
export type OperatorVerb = Verb & Asked;

/** List of operators as data: the operation, with its query as options, and the columns of its table. */
export interface OperatorList<Path extends ListPath> extends Omit<Verb, 'options'> {
  readonly only?: ServiceName;
  readonly path: Path;
  /** Parameters that the arguments stand for, of the path or of the query. */
  readonly takes?: readonly string[];
  /** Parameters of the query that this verb sets itself. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** Options whose words differ from those that the document of the API gives. */
  readonly words?: QueryWords;
  /** Reads page after page to the limit that was asked for, with so many items on a page. */
  readonly pageMax?: number;
  readonly columns: Columns<ItemOf<Path>>;
  /** Text in place of a table without rows. */
  readonly empty: string;
  /** The value for programs. Default: the item. */
  readonly json?: (item: ItemOf<Path>) => unknown;
}

export type QueryWords = Readonly<Record<string, Words>>;

/** Words that parameters of this name have unless a verb has others for them. */
const COMMON: QueryWords = {
  limit: ['-n, --limit <count>', 'at most so many'],
  cursor: ['--after <cursor>', 'only those after it'],
  user_id: ['--user <id>', 'only of this user'],
};

/** Makes the command of a verb; what it does is added to it. */
export function commandOf(verb: Verb): Command {
  const { name, about, args = [], options = [], note = '', examples = [] } = verb;
  const command = new Command(name).description(about);
  for (const [flags, words = '', ...rest] of args) {
    command.argument(flags, words, ...(rest as [() => unknown, unknown]));
  }
  for (const one of options) {
    command.addOption(one instanceof Option ? one : optionOf({ name: '' }, one));
  }
  const lines = examples.map((line) => `  $ junction ${line}\n`);
  const shown = lines.length === 0 ? note : `${note}\nExamples:\n${lines.join('')}`;
  return shown === '' ? command : command.addHelpText('after', shown);
}

/** Makes a command of several verbs. */
export const group = (name: string, about: string, verbs: readonly Command[]): Command =>
  verbs.reduce((command, verb) => command.addCommand(verb), new Command(name).description(about));

/** Makes the command of an operators' verb. */
export const operatorCommand = (world: World, verb: OperatorVerb): Command =>
  opsCommand(commandOf(verb), world, verb);

/** Makes a command of operators' verbs, which ask `only` one service where one alone has the operations. */
export const operatorGroup = (
  world: World,
  [name, about, only]: readonly [name: string, about: string, only?: ServiceName],
  verbs: readonly OperatorVerb[],
): Command =>
  group(
    name,
    about,
    verbs.map((verb) => operatorCommand(world, { ...(only && { only }), ...verb })),
  );

/** Returns the verb of a list. */
export function operatorList<Path extends ListPath>(list: OperatorList<Path>): OperatorVerb {
  const { path, takes = [], fixed = {}, words, pageMax, columns, empty, json, ...verb } = list;
  const followed = pageMax === undefined ? [] : ['cursor'];
  const asked = queryOptions(path, words, [...takes, ...Object.keys(fixed), ...followed]);
  return {
    ...verb,
    options: asked.options,
    async read({ ops, at, list: show, output }, args, options) {
      const given = (isOfPath: boolean) =>
        Object.fromEntries(
          takes
            .map((name, place) => [name, args[place]] as const)
            .filter(
              ([name, text]) => text !== undefined && path.includes(`{${name}}`) === isOfPath,
            ),
        );
      const query = { ...given(false), ...fixed, ...asked.queryOf(options) };
      const init = { params: { path: { ...at, ...given(true) }, query } };
      const shown = { columns, empty, ...(json && { json }) };
      if (pageMax !== undefined) {
        const count = Number(query['limit']);
        query['limit'] = Math.min(pageMax, count);
        show(await firstOf(count, ops.items(path, init as never)), shown);
        return;
      }
      const page = (await ops.get(path, ...([init] as never))) as Page<ItemOf<Path>>;
      show(page.items, shown);
      if (page.next_cursor) output.note(`There are more: --after ${page.next_cursor}`);
    },
  };
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor?: string | null;
}

/** Options for the parameters of a list's query, and the query that they make. */
export function queryOptions(
  path: ListPath,
  words: QueryWords = {},
  except: readonly string[] = [],
) {
  const parameters = (QUERIES[path] ?? []).filter(({ name }) => !except.includes(name));
  const options = parameters.map(
    (one) => [one.name, optionOf(one, words[one.name] ?? COMMON[one.name])] as const,
  );
  return {
    options: options.map(([, option]) => option),
    queryOf: (chosen: Options): Record<string, unknown> =>
      Object.fromEntries(
        options
          .map(([name, option]) => [name, chosen[option.attributeName()]] as const)
          .filter(([, value]) => value !== undefined)
          .map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
      ),
  };
}

function optionOf(parameter: QueryParameter, words?: Words): Option {
  const { name, description, enum: choices } = parameter;
  const isFlag = choices?.join() === 'true,false';
  const long = name.replaceAll('_', '-');
  const [
    flags = isFlag ? `--${long} [answer]` : `--${long} <${long}>`,
    about = description,
    parse,
    otherwise,
  ] = words ?? [];
  const option = new Option(flags, about);
  const parser = parse ?? parserOf(parameter);
  if (choices) option.choices(choices);
  else if (parser) option.argParser(parser as (text: string) => unknown);
  if (isFlag) option.preset('true');
  return option.default(otherwise ?? parameter.default);
}

function parserOf({
  type,
  format,
  minimum = 0,
  maximum = Number.MAX_SAFE_INTEGER,
}: QueryParameter) {
  if (type === 'integer') return whole(minimum, maximum);
  if (format === 'uuid') return uuid;
  return format === 'date-time' ? moment : undefined;
}
