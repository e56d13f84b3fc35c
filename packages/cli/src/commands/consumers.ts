import type { Body } from '@junction/client';
import { Command, Option } from 'commander';
import { moment, whole } from '../arguments.js';
import { usage } from '../failure.js';
import { camelCased } from '../output.js';
import { asks, examples, type World } from '../world.js';

/** `junction consumers …` */
export const consumersCommand = (world: World): Command =>
  new Command('consumers')
    .description('show how far consumers of topics are, and set where they go on')
    .addCommand(listCommand(world))
    .addCommand(resetCommand(world))
    .addCommand(resetAllCommand(world));

function listCommand(world: World): Command {
  const command = new Command('list')
    .description('every partition that was ever consumed')
    .addHelpText('after', examples('consumers list -s webhooks'));
  return asks(command, world, 'read', async ({ ops, at, list }) => {
    const { items } = await ops.get('/api/ops/{service}/consumers', { params: { path: at } });
    list(items, {
      titles: ['CONSUMER', 'PARTITION', 'OFFSET', 'END', 'LAG', 'STATE', 'REASON'],
      row: ({ consumer, topic, partition, offset, end, lag, state, reason }) => [
        consumer,
        `${topic}/${partition}`,
        offset,
        end ?? '?',
        lag ?? '?',
        state,
        reason ?? '',
      ],
      empty: 'Nothing was consumed yet.',
      json: camelCased,
    });
  });
}

function resetCommand(world: World): Command {
  const offset = new Option('--offset <offset>', 'at this record').argParser(
    whole(0, Number.MAX_SAFE_INTEGER),
  );
  const time = new Option('--time <time>', 'at the first record from then on').argParser(moment);
  const command = new Command('reset')
    .description('say where a partition goes on; records in between are handled again, or never')
    .argument('<consumer>', 'for instance webhook-dispatcher.assistant')
    .argument('<topic>', 'topic without its prefix')
    .argument('<partition>', '', whole(0, 1_000_000))
    .addOption(
      new Option('--beginning', 'at the first record').conflicts(['end', 'offset', 'time']),
    )
    .addOption(new Option('--end', 'at what comes next').conflicts(['offset', 'time']))
    .addOption(offset.conflicts('time'))
    .addOption(time)
    .option('--force', 'set it while the partition is being consumed')
    .addHelpText(
      'after',
      examples(
        'consumers reset -s webhooks webhook-dispatcher.assistant assistant.events.v1 3 --beginning',
        'consumers reset -s webhooks webhook-dispatcher.assistant assistant.events.v1 3 --offset 4711 --force',
      ),
    );
  return asks(command, world, 'write', async ({ ops, at, show }, _, options) => {
    const [consumer, topic, partition] = command.processedArgs as [string, string, number];
    const partitionOf = { consumer, topic, partition };
    const body = { ...partitionOf, to: targetOf(options), force: options['force'] === true };
    const reset = await ops.post('/api/ops/{service}/consumers/reset', {
      params: { path: at },
      body,
    });
    show(
      { ...partitionOf, ...reset },
      `${consumer} goes on at ${topic}/${partition}@${reset.offset}, with ${reset.records} records up to the end of the log. It was at ${reset.from}.\n`,
    );
  });
}

function resetAllCommand(world: World): Command {
  const command = new Command('reset-all')
    .description('Kafka lost its records: every partition goes on at the first one that it has now')
    .addHelpText('after', examples('consumers reset-all -s webhooks'));
  return asks(command, world, 'write', async ({ ops, at, show }) => {
    const reset = await ops.post('/api/ops/{service}/consumers/reset-all', {
      params: { path: at },
    });
    show(
      reset,
      `${reset.partitions} partitions go on at their beginning, with ${reset.records} records up to the ends of their logs.\n`,
    );
  });
}

type Target = Body<'/api/ops/{service}/consumers/reset', 'post'>['to'];

function targetOf(options: Readonly<Record<string, unknown>>): Target {
  const { beginning, end, offset, time } = options;
  if (beginning === true) return 'beginning';
  if (end === true) return 'end';
  if (typeof offset === 'number') return { offset };
  if (time instanceof Date) return { time: time.toISOString() };
  throw usage('Where should it go on? Say --beginning, --end, --offset or --time.');
}
