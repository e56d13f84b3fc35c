import type { Schemas } from '@junction/client';
import { Command, Option } from 'commander';
import { uuid, whole } from '../arguments.js';
import { Failure, usage } from '../failure.js';
import { fields, printable } from '../output.js';
import { type Asking, asks, examples, type World } from '../world.js';

const LIMIT_MAX = 200;
const LIMIT_DEFAULT = 50;

/** `junction dlq …` */
export const deadLettersCommand = (world: World): Command =>
  new Command('dlq')
    .description('records that could not be handled')
    .addCommand(listCommand(world))
    .addCommand(showCommand(world))
    .addCommand(redriveCommand(world))
    .addCommand(dropCommand(world));

const filtered = (command: Command): Command =>
  command
    .option('--consumer <group>', 'consumer to filter by')
    .option('--topic <topic>', 'topic to filter by, without its prefix')
    .option('--reason <code>', 'reason to filter by')
    .option('--user <id>', 'user to filter by', uuid);

interface FilterOptions {
  readonly consumer?: string;
  readonly topic?: string;
  readonly reason?: string;
  readonly user?: string;
}

function filterOf(options: object) {
  const { consumer, topic, reason, user } = options as FilterOptions;
  return {
    ...(consumer !== undefined && { consumer }),
    ...(topic !== undefined && { topic }),
    ...(reason !== undefined && { reason }),
    ...(user !== undefined && { user_id: user }),
  };
}

function listCommand(world: World): Command {
  const command = filtered(new Command('list'))
    .description('dead letters, newest first')
    .addOption(
      new Option('--state <state>').choices(['open', 'redriven', 'discarded']).default('open'),
    )
    .addOption(
      new Option('-n, --limit <count>', 'at most so many')
        .argParser(whole(1, LIMIT_MAX))
        .default(LIMIT_DEFAULT),
    )
    .option('--after <id>', 'dead letter that the list goes on after', uuid)
    .addHelpText('after', examples('dlq list -s webhooks', 'dlq list -s webhooks --json'));
  return asks(command, world, 'read', async ({ ops, at, list, output }, _, options) => {
    const { state, limit, after } = options as ListOptions;
    const query = { ...filterOf(options), state, limit, ...(after && { cursor: after }) };
    const { items, next_cursor: next } = await ops.get('/api/ops/{service}/dead-letters', {
      params: { path: at, query },
    });
    list(items, {
      titles: ['ID', 'SET ASIDE', 'CONSUMER', 'RECORD', 'STATE', 'REASON'],
      row: (letter) => [
        letter.id,
        letter.set_aside_at,
        letter.consumer,
        placeOf(letter),
        letter.state,
        letter.reason,
      ],
      empty: 'There are no such dead letters.',
      json: letterJson,
    });
    if (next !== null) output.note(`There are more: --after ${next}`);
  });
}

type ListOptions = {
  readonly state: 'open' | 'redriven' | 'discarded';
  readonly limit: number;
  readonly after?: string;
};

function showCommand(world: World): Command {
  const command = new Command('show')
    .description('show a dead letter')
    .argument('<id>', '', uuid)
    .option('--record', 'show the content of the record too: it may be personal')
    .addHelpText(
      'after',
      examples('dlq show -s webhooks 0199…', 'dlq show -s webhooks 0199… --record'),
    );
  return asks(command, world, 'read', async ({ ops, at, show }, [id = ''], options) => {
    const query = {
      with_record: options['record'] === true ? ('true' as const) : ('false' as const),
    };
    const found = await ops.get('/api/ops/{service}/dead-letters/{id}', {
      params: { path: { ...at, id }, query },
    });
    const { dead_letter: letter, payload_bytes } = found;
    const record = found.record && {
      headers: found.record.headers,
      payload: Buffer.from(found.record.payload, 'base64').toString('utf8'),
    };
    const content = record ? `\n${fields(record.headers)}\n${printable(record.payload)}\n` : '';
    show(
      { ...letterJson(letter), payload_bytes, ...record },
      letterText(letter, payload_bytes) + content,
    );
  });
}

const some = (command: Command): Command =>
  filtered(command).argument(
    '[ids...]',
    'which; or name them by the options below',
    (text, before: readonly string[]) => [...before, uuid(text)],
    [],
  );

function redriveCommand(world: World): Command {
  const command = some(new Command('redrive'))
    .description('hand dead letters to their handler once more')
    .addHelpText(
      'after',
      examples('dlq redrive -s webhooks 0199…', 'dlq redrive -s webhooks --reason ce_type_unknown'),
    );
  return asks(command, world, 'write', async (asking, _, options) => {
    const { ops, at } = asking;
    const body = wanted(command, options);
    const redriven = await ops.post('/api/ops/{service}/dead-letters/redrive', {
      params: { path: at },
      body,
    });
    showOutcomes(asking, redriven, 'redriven');
  });
}

function dropCommand(world: World): Command {
  const command = some(new Command('drop'))
    .description('give dead letters up: they never take effect')
    .requiredOption('--note <why>', 'reason that is kept with the dead letters')
    .addHelpText(
      'after',
      examples('dlq drop -s webhooks 0199… --note "sent by a broken producer"'),
    );
  return asks(command, world, 'write', async (asking, _, options) => {
    const { ops, at } = asking;
    const body = { ...wanted(command, options), note: String(options['note']) };
    const dropped = await ops.post('/api/ops/{service}/dead-letters/drop', {
      params: { path: at },
      body,
    });
    showOutcomes(asking, dropped, 'dropped');
  });
}

function wanted({ processedArgs }: Command, options: object) {
  const [ids] = processedArgs as [string[]];
  const filter = filterOf(options);
  const isFiltered = Object.keys(filter).length > 0;
  if (ids.length > 0 === isFiltered)
    throw usage('Name ids, or else --consumer, --topic, --reason or --user.');
  return isFiltered ? { filter } : { ids };
}

type Outcomes = Schemas['RedrivenDeadLetters'];

/** Shows the outcome of each dead letter, and fails unless each has the wanted outcome. */
function showOutcomes(
  { list, output }: Asking,
  { outcomes, more }: Outcomes,
  wanted: string,
): void {
  list(outcomes, {
    titles: ['ID', 'OUTCOME', 'REASON'],
    row: ({ id, outcome, reason: code, reason_text: text }) => [
      id,
      outcome,
      code === null ? '' : `${code}: ${text ?? ''}`,
    ],
    empty: 'No dead letter matches.',
    json: ({ id, outcome, reason: code, reason_text: text }) => ({
      id,
      outcome,
      reason: code === null ? '' : { code, text },
    }),
  });
  if (more) output.note('More dead letters match. Run the command again for the next ones.');
  const bad = outcomes.filter(({ outcome }) => outcome !== wanted).length;
  if (bad > 0) throw new Failure(`${bad} of ${outcomes.length} dead letters were not ${wanted}.`);
}

type DeadLetter = Schemas['DeadLetter'];

const placeOf = ({ topic, partition, offset }: DeadLetter): string =>
  `${topic}/${partition}@${offset}`;

const letterText = (letter: DeadLetter, payloadBytes: number): string =>
  fields({
    id: letter.id,
    state: letter.state,
    reason: `${letter.reason}: ${letter.reason_text ?? ''}`,
    consumer: letter.consumer,
    record: placeOf(letter),
    key: letter.key ?? undefined,
    user: letter.user_id ?? undefined,
    recorded: letter.recorded_at,
    'set aside': letter.set_aside_at,
    payload: `${payloadBytes} bytes`,
    redrives: letter.redrives,
    resolved: letter.resolved_at ?? undefined,
    by: letter.resolved_by ?? undefined,
    note: letter.note ?? undefined,
  });

const letterJson = ({ reason: code, reason_text: text, ...letter }: DeadLetter) => ({
  ...letter,
  key: letter.key ?? undefined,
  user_id: letter.user_id ?? undefined,
  reason: { code, text },
  resolved_at: letter.resolved_at ?? undefined,
  resolved_by: letter.resolved_by ?? undefined,
  note: letter.note ?? undefined,
});
