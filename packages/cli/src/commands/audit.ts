import type { Schemas } from '@junction/client';
import { Command, Option } from 'commander';
import { firstOf } from '../api/answers.js';
import { moment, whole } from '../arguments.js';
import { operatorAt } from '../connection.js';
import { line, table } from '../output.js';
import { AUDIENCES, SERVICES, type ServiceName } from '../settings.js';
import { examples, serviceNamed, type World } from '../world.js';

const PAGE_MAX = 200;
const LIMIT_MAX = 10_000;

interface AuditOptions {
  readonly service?: ServiceName;
  readonly actor?: string;
  readonly since?: Date;
  readonly limit: number;
  readonly json?: boolean;
}

type Audited = Schemas['Access'] & { readonly service: ServiceName };

/** `junction audit` */
export const auditCommand = (world: World): Command =>
  new Command('audit')
    .description(
      'list what operators looked at and did in all services, and what was refused to whom, newest first; this reading is listed too',
    )
    .addOption(serviceNamed('only there'))
    .option('--actor <id>', 'user or client to filter by')
    .addOption(new Option('--since <time>', 'only from then on').argParser(moment))
    .addOption(
      new Option('-n, --limit <count>', 'at most so many')
        .argParser(whole(1, LIMIT_MAX))
        .default(100),
    )
    .option('--json', 'JSON for machines, a value on each line')
    .addHelpText(
      'after',
      examples('audit', 'audit --actor cli_operator --since 2026-03-01T00:00:00Z --json'),
    )
    .action(async (options: AuditOptions) => {
      const services = options.service ? [options.service] : SERVICES;
      const found = await Promise.all(services.map((one) => accessesOf(world, one, options)));
      const newest = found
        .flat()
        .sort((one, other) => other.at.localeCompare(one.at))
        .slice(0, options.limit);
      show(world, newest, options.json === true);
    });

async function accessesOf(
  world: World,
  service: ServiceName,
  { actor, since, limit }: AuditOptions,
): Promise<readonly Audited[]> {
  const query = {
    ...(actor !== undefined && { actor }),
    ...(since && { since: since.toISOString() }),
    limit: Math.min(PAGE_MAX, limit),
  };
  return operatorAt(world, service)('read', async (ops) => {
    const accesses = ops.items('/api/ops/{service}/audit', {
      params: { path: { service: AUDIENCES[service] }, query },
    });
    const found = await firstOf(limit, accesses);
    return found.map((access) => ({ ...access, service }));
  });
}

function show({ output }: World, accesses: readonly Audited[], json: boolean): void {
  if (json) {
    for (const access of accesses) output.out(line(access));
    return;
  }
  const rows = accesses.map(({ at, service, actor, method, ...access }) => [
    at,
    service,
    actor.id,
    method,
    outcomeWords(access),
    JSON.stringify(access.arguments),
  ]);
  const titles = ['AT', 'SERVICE', 'ACTOR', 'METHOD', 'OUTCOME', 'ARGUMENTS'];
  output.out(table(titles, rows, 'There are no accesses.'));
}

/** `refused: operator_required, 12 times` */
const outcomeWords = ({
  outcome,
  code,
  attempts,
}: Pick<Audited, 'outcome' | 'code' | 'attempts'>) =>
  [outcome, code && `: ${code}`, attempts > 1 && `, ${attempts} times`].filter(Boolean).join('');
