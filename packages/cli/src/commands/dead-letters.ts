import { type DeadLetter, type DeadLetterOutcome, OpsServiceService } from '@junction/contracts';
import { Command, Option } from 'commander';
import { uuid, whole } from '../arguments.js';
import { Failure, usage } from '../failure.js';
import { fields, line, printable, table } from '../output.js';
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
    .option('--consumer <group>', 'only of this consumer', '')
    .option('--topic <topic>', 'only of this topic, without a prefix', '')
    .option('--reason <code>', 'only for this reason', '')
    .option('--user <id>', 'only of this user', uuid, '');

interface FilterOptions {
  readonly consumer: string;
  readonly topic: string;
  readonly reason: string;
  readonly user: string;
}

function filterOf(options: object) {
  const { consumer, topic, reason, user: userId } = options as FilterOptions;
  return { consumer, topic, reason, userId };
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
    .option('--after <id>', 'older than this one', uuid, '')
    .addHelpText('after', examples('dlq list -s webhooks', 'dlq list -s webhooks --json'));
  return asks(command, world, 'read', async ({ ops, json, output }, _, options) => {
    const { state, limit, after } = options as { state: string; limit: number; after: string };
    const request = { filter: filterOf(options), state, limit, after };
    const { deadLetters, next } = await ops.call(OpsServiceService.listDeadLetters, request);
    if (json) {
      for (const letter of deadLetters) output.out(line(letterJson(letter)));
      return;
    }
    const rows = deadLetters.map((letter) => [
      letter.id,
      letter.setAsideAt?.toISOString() ?? '',
      letter.consumer,
      placeOf(letter),
      letter.state,
      letter.reasonCode,
    ]);
    const titles = ['ID', 'SET ASIDE', 'CONSUMER', 'RECORD', 'STATE', 'REASON'];
    output.out(table(titles, rows, 'No dead letters.'));
    if (next) output.note(`There are more: --after ${next}`);
  });
}

function showCommand(world: World): Command {
  const command = new Command('show')
    .description('one dead letter')
    .argument('<id>', '', uuid)
    .option('--record', 'also what was in the record: it may be personal')
    .addHelpText(
      'after',
      examples('dlq show -s webhooks 0199…', 'dlq show -s webhooks 0199… --record'),
    );
  return asks(command, world, 'read', async ({ ops, json, output }, [id = ''], options) => {
    const withRecord = options['record'] === true;
    const found = await ops.call(OpsServiceService.getDeadLetter, { id, withRecord });
    const { deadLetter, headers, payload, payloadBytes } = found;
    if (!deadLetter) return;
    const record = { headers, payload: Buffer.from(payload).toString('utf8') };
    if (json) {
      const shown = { ...letterJson(deadLetter), payload_bytes: payloadBytes };
      output.out(line(withRecord ? { ...shown, ...record } : shown));
      return;
    }
    output.out(letterText(deadLetter, payloadBytes));
    if (!withRecord) return;
    output.out(`\n${fields(headers)}\n${printable(record.payload)}\n`);
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
    .description('hand them to their handler once more')
    .addHelpText(
      'after',
      examples('dlq redrive -s webhooks 0199…', 'dlq redrive -s webhooks --reason ce_type_unknown'),
    );
  return asks(command, world, 'write', async (asking, _, options) => {
    const request = wanted(command, options);
    const answer = await asking.ops.call(OpsServiceService.redriveDeadLetters, request);
    show(asking, answer, 'redriven');
  });
}

function dropCommand(world: World): Command {
  const command = some(new Command('drop'))
    .description('give them up: they never take effect')
    .requiredOption('--note <why>', 'kept with them, for whoever asks later')
    .addHelpText(
      'after',
      examples('dlq drop -s webhooks 0199… --note "sent by a broken producer"'),
    );
  return asks(command, world, 'write', async (asking, _, options) => {
    const request = { ...wanted(command, options), note: String(options['note']) };
    const answer = await asking.ops.call(OpsServiceService.dropDeadLetters, request);
    show(asking, answer, 'dropped');
  });
}

function wanted({ processedArgs }: Command, options: object) {
  const [ids] = processedArgs as [string[]];
  const filter = filterOf(options);
  const isFiltered = Object.values(filter).some((value) => value !== '');
  if (ids.length > 0 === isFiltered)
    throw usage('Name ids, or else --consumer, --topic, --reason or --user.');
  return { ids, filter: isFiltered ? filter : undefined };
}

interface Outcomes {
  readonly outcomes: readonly DeadLetterOutcome[];
  readonly more: boolean;
}

/** Shows the outcome of each dead letter, and fails unless each has the wanted outcome. */
function show({ json, output }: Asking, { outcomes, more }: Outcomes, wanted: string): void {
  if (json) {
    for (const { id, outcome, reasonCode, reasonText } of outcomes) {
      output.out(
        line({ id, outcome, reason: reasonCode && { code: reasonCode, text: reasonText } }),
      );
    }
  } else {
    const rows = outcomes.map(({ id, outcome, reasonCode, reasonText }) => [
      id,
      outcome,
      reasonCode && `${reasonCode}: ${reasonText}`,
    ]);
    output.out(table(['ID', 'OUTCOME', 'REASON'], rows, 'None fits.'));
  }
  if (more) output.note('Others fit: call again.');
  const bad = outcomes.filter(({ outcome }) => outcome !== wanted).length;
  if (bad > 0) throw new Failure(`${bad} of ${outcomes.length} did not come to that.`);
}

const placeOf = ({ topic, partition, offset }: DeadLetter): string =>
  `${topic}/${partition}@${offset}`;

const letterText = (letter: DeadLetter, payloadBytes: number): string =>
  fields({
    id: letter.id,
    state: letter.state,
    reason: `${letter.reasonCode}: ${letter.reasonText}`,
    consumer: letter.consumer,
    record: placeOf(letter),
    key: letter.key,
    user: letter.userId,
    recorded: letter.recordedAt?.toISOString(),
    'set aside': letter.setAsideAt?.toISOString(),
    payload: `${payloadBytes} bytes`,
    redrives: letter.redrives,
    resolved: letter.resolvedAt?.toISOString(),
    by: letter.resolvedBy,
    note: letter.note,
  });

const letterJson = (letter: DeadLetter) => ({
  id: letter.id,
  consumer: letter.consumer,
  topic: letter.topic,
  partition: letter.partition,
  offset: letter.offset,
  key: letter.key || undefined,
  user_id: letter.userId || undefined,
  reason: { code: letter.reasonCode, text: letter.reasonText },
  state: letter.state,
  redrives: letter.redrives,
  recorded_at: letter.recordedAt?.toISOString(),
  set_aside_at: letter.setAsideAt?.toISOString(),
  resolved_at: letter.resolvedAt?.toISOString(),
  resolved_by: letter.resolvedBy || undefined,
  note: letter.note || undefined,
});
