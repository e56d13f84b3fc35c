import { type Access, OpsServiceService } from '@junction/contracts';
import { Command, Option } from 'commander';
import { moment, whole } from '../arguments.js';
import { connect } from '../connection.js';
import { line, table } from '../output.js';
import { SERVICES, type ServiceName, settingsOf } from '../settings.js';
import { examples, type World } from '../world.js';

const PAGE_MAX = 200;
const LIMIT_MAX = 10_000;

interface AuditOptions {
  readonly service?: ServiceName;
  readonly actor: string;
  readonly since?: Date;
  readonly limit: number;
  readonly json?: boolean;
}

type Audited = Access & { readonly service: ServiceName };

/** `junction audit` */
export const auditCommand = (world: World): Command =>
  new Command('audit')
    .description(
      'what operators looked at and did in all services, and what was refused to whom, newest first; reading it is one of them',
    )
    .addOption(new Option('-s, --service <service>', 'only there').choices(SERVICES))
    .option('--actor <id>', 'only of this user or client', '')
    .addOption(new Option('--since <time>', 'only from then on').argParser(moment))
    .addOption(
      new Option('-n, --limit <count>', 'at most so many')
        .argParser(whole(1, LIMIT_MAX))
        .default(100),
    )
    .option('--json', 'one JSON value on each line, for machines')
    .addHelpText(
      'after',
      examples('audit', 'audit --actor cli_operator --since 2026-03-01T00:00:00Z --json'),
    )
    .action(async (options: AuditOptions) => {
      const services = options.service ? [options.service] : SERVICES;
      const found = await Promise.all(services.map((one) => accessesOf(world, one, options)));
      const newest = found
        .flat()
        .sort((one, other) => timeOf(other) - timeOf(one))
        .slice(0, options.limit);
      show(world, newest, options.json === true);
    });

async function accessesOf(
  { env, cwd }: World,
  service: ServiceName,
  { actor, since, limit }: AuditOptions,
): Promise<readonly Audited[]> {
  const ops = connect(settingsOf(env, cwd, service), service, { write: false });
  const found: Audited[] = [];
  try {
    let after = '';
    do {
      const request = { actor, since, after, limit: Math.min(PAGE_MAX, limit - found.length) };
      const page = await ops.call(OpsServiceService.listAccesses, request);
      found.push(...page.accesses.map((access) => ({ ...access, service })));
      after = page.next;
    } while (after !== '' && found.length < limit);
  } finally {
    ops.close();
  }
  return found;
}

const timeOf = ({ at }: Access): number => at?.getTime() ?? 0;

function show({ output }: World, accesses: readonly Audited[], json: boolean): void {
  if (json) {
    for (const access of accesses) output.out(line(view(access)));
    return;
  }
  const rows = accesses.map(({ at, service, actorId, method, argumentsJson, ...access }) => [
    at?.toISOString() ?? '',
    service,
    actorId,
    method,
    outcomeWords(access),
    argumentsJson,
  ]);
  const titles = ['AT', 'SERVICE', 'ACTOR', 'METHOD', 'OUTCOME', 'ARGUMENTS'];
  output.out(table(titles, rows, 'There are no accesses.'));
}

/** `refused: operator_required, 12 times` */
const outcomeWords = ({ outcome, code, attempts }: Pick<Access, 'outcome' | 'code' | 'attempts'>) =>
  [outcome, code && `: ${code}`, attempts > 1 && `, ${attempts} times`].filter(Boolean).join('');

const view = ({ at, service, actorKind, actorId, method, outcome, ...access }: Audited) => ({
  at: at?.toISOString(),
  service,
  actor: { kind: actorKind, id: actorId },
  method,
  arguments: JSON.parse(access.argumentsJson) as unknown,
  outcome,
  code: access.code || null,
  attempts: access.attempts,
  stream_id: access.streamId,
});
