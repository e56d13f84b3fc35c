import type { Schemas } from '@junction/client';
import { Option } from 'commander';
import { uuid } from '../arguments.js';
import { Failure, usage } from '../failure.js';
import { fields, present, printable } from '../output.js';
import { type OperatorVerb, operatorGroup, operatorList, type Words } from '../verbs.js';
import type { OpsContext, Options, World } from '../world.js';

/** `junction dlq …` */
export const command = (world: World) =>
  operatorGroup(world, ['dlq', 'records that could not be handled'], [list, show, redrive, drop]);

/** Options that say which dead letters, by the parameters of the list and the fields of the filter. */
const WORDS = {
  consumer: ['--consumer <group>', 'consumer to filter by'],
  topic: ['--topic <topic>', 'topic to filter by, without its prefix'],
  reason: ['--reason <code>', 'reason to filter by'],
  user_id: ['--user <id>', 'user to filter by', uuid],
} as const satisfies Readonly<Record<string, Words>>;

const list = operatorList({
  name: 'list',
  about: 'dead letters, newest first',
  examples: ['dlq list -s webhooks', 'dlq list -s webhooks --json'],
  path: '/api/ops/{service}/dead-letters',
  words: {
    ...WORDS,
    limit: ['-n, --limit <count>', 'at most so many', undefined, 50],
    cursor: ['--after <id>', 'dead letter that the list goes on after'],
  },
  columns: {
    ID: 'id',
    'SET ASIDE': 'set_aside_at',
    CONSUMER: 'consumer',
    RECORD: (letter) => placeOf(letter),
    STATE: 'state',
    REASON: 'reason',
  },
  empty: 'There are no such dead letters.',
  json: (letter) => letterJson(letter),
});

const show: OperatorVerb = {
  name: 'show',
  about: 'show a dead letter',
  args: [['<id>', '', uuid]],
  options: [['--record', 'show the content of the record too: it may be personal']],
  examples: ['dlq show -s webhooks 0199…', 'dlq show -s webhooks 0199… --record'],
  async read({ ops, at, show }, [id = ''], options) {
    const with_record = options['record'] === true ? 'true' : 'false';
    const found = await ops.get('/api/ops/{service}/dead-letters/{id}', {
      params: { path: { ...at, id }, query: { with_record } },
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
  },
};

const IDS: Words = [
  '[ids...]',
  'which; or name them by the options below',
  (text, before: readonly string[]) => [...before, uuid(text)],
  [],
];

const redrive: OperatorVerb = {
  name: 'redrive',
  about: 'hand dead letters to their handler once more',
  args: [IDS],
  options: Object.values(WORDS),
  examples: ['dlq redrive -s webhooks 0199…', 'dlq redrive -s webhooks --reason ce_type_unknown'],
  async write(context, args, options) {
    const init = { params: { path: context.at }, body: wanted(args, options) };
    const redriven = await context.ops.post('/api/ops/{service}/dead-letters/redrive', init);
    showOutcomes(context, redriven, 'redriven');
  },
};

const drop: OperatorVerb = {
  ...redrive,
  name: 'drop',
  about: 'give dead letters up: they never take effect',
  options: [
    ...Object.values(WORDS),
    new Option('--note <why>', 'reason that is kept with the dead letters').makeOptionMandatory(),
  ],
  examples: ['dlq drop -s webhooks 0199… --note "sent by a broken producer"'],
  async write(context, args, options) {
    const body = { ...wanted(args, options), note: String(options['note']) };
    const init = { params: { path: context.at }, body };
    const dropped = await context.ops.post('/api/ops/{service}/dead-letters/drop', init);
    showOutcomes(context, dropped, 'dropped');
  },
};

function wanted(args: readonly unknown[], { consumer, topic, reason, user }: Options) {
  const [ids] = args as [string[]];
  const named = Object.entries({ consumer, topic, reason, user_id: user });
  const filter = Object.fromEntries(named.filter(([, value]) => value !== undefined));
  const isFiltered = Object.keys(filter).length > 0;
  if (ids.length > 0 === isFiltered)
    throw usage('Name ids, or else --consumer, --topic, --reason or --user.');
  return isFiltered ? { filter } : { ids };
}

type Outcomes = Schemas['RedrivenDeadLetters'];

/** Shows the outcome of each dead letter, and fails unless each has the wanted outcome. */
function showOutcomes(
  { list, output }: OpsContext,
  { outcomes, more }: Outcomes,
  wanted: string,
): void {
  list(outcomes, {
    columns: {
      ID: 'id',
      OUTCOME: 'outcome',
      REASON: ({ reason, reason_text: text }) =>
        reason === null ? '' : `${reason}: ${text ?? ''}`,
    },
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

const letterJson = ({ reason: code, reason_text: text, ...letter }: DeadLetter) =>
  present({ ...letter, reason: { code, text } });
