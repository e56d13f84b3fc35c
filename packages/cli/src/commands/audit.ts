import type { Schemas } from '@junction/client';
import { firstOf } from '../api/answers.js';
import { whole } from '../arguments.js';
import { operatorAt } from '../connection.js';
import { type Columns, line, listTable } from '../output.js';
import { AUDIENCES, SERVICES, type ServiceName } from '../settings.js';
import { commandOf, queryOptions } from '../verbs.js';
import { type Options, serviceNamed, type World } from '../world.js';

const PAGE_MAX = 200;
const LIMIT_MAX = 10_000;

type Audited = Schemas['Access'] & { readonly service: ServiceName };

const PATH = '/api/ops/{service}/audit';
const asked = queryOptions(
  PATH,
  {
    actor: ['--actor <id>', 'user or client to filter by'],
    since: ['--since <time>', 'only from then on'],
    limit: ['-n, --limit <count>', 'at most so many', whole(1, LIMIT_MAX)],
  },
  ['cursor'],
);

/** `junction audit` */
export const command = (world: World) =>
  commandOf({
    name: 'audit',
    about:
      'list what operators looked at and did in all services, and what was refused to whom, newest first; this reading is listed too',
    options: [
      serviceNamed('only there'),
      ...asked.options,
      ['--json', 'JSON for machines, a value on each line'],
    ],
    examples: ['audit', 'audit --actor cli_operator --since 2026-03-01T00:00:00Z --json'],
  }).action(async (options: Options & { readonly service?: ServiceName }) => {
    const services = options.service ? [options.service] : SERVICES;
    const limit = Number(options['limit']);
    const query = { ...asked.queryOf(options), limit: Math.min(PAGE_MAX, limit) };
    const found = await Promise.all(
      services.map(async (service) =>
        operatorAt(world, service)('read', async (ops) => {
          const params = { path: { service: AUDIENCES[service] }, query };
          const accesses = await firstOf(limit, ops.items(PATH, { params }));
          return accesses.map((access) => ({ ...access, service }));
        }),
      ),
    );
    const newest = found
      .flat()
      .sort((one, other) => other.at.localeCompare(one.at))
      .slice(0, limit);
    const { out } = world.output;
    if (options['json'] === true) for (const access of newest) out(line(access));
    else out(listTable(COLUMNS, newest, 'There are no accesses.'));
  });

const COLUMNS: Columns<Audited> = {
  AT: 'at',
  SERVICE: 'service',
  ACTOR: ({ actor }) => actor.id,
  METHOD: 'method',
  OUTCOME: ({ outcome, code, attempts }) =>
    [outcome, code && `: ${code}`, attempts > 1 && `, ${attempts} times`].filter(Boolean).join(''),
  ARGUMENTS: (access) => JSON.stringify(access.arguments),
};
