import type { Body } from '@junction/client';
import { Option } from 'commander';
import { moment, whole } from '../arguments.js';
import { usage } from '../failure.js';
import { camelCased } from '../output.js';
import { type OperatorVerb, operatorGroup, operatorList } from '../verbs.js';
import type { Options, World } from '../world.js';

/** `junction consumers …` */
export const command = (world: World) =>
  operatorGroup(
    world,
    ['consumers', 'show how far consumers of topics are, and set where they go on'],
    [list, reset, resetAll],
  );

const list = operatorList({
  name: 'list',
  about: 'every partition that was ever consumed',
  examples: ['consumers list -s webhooks'],
  path: '/api/ops/{service}/consumers',
  columns: {
    CONSUMER: 'consumer',
    PARTITION: ({ topic, partition }) => `${topic}/${partition}`,
    OFFSET: 'offset',
    END: ({ end }) => end ?? '?',
    LAG: ({ lag }) => lag ?? '?',
    STATE: 'state',
    REASON: 'reason',
  },
  empty: 'Nothing was consumed yet.',
  json: camelCased,
});

const reset: OperatorVerb = {
  name: 'reset',
  about: 'say where a partition goes on; records in between are handled again, or never',
  args: [
    ['<consumer>', 'for instance webhook-dispatcher.assistant'],
    ['<topic>', 'topic without its prefix'],
    ['<partition>', '', whole(0, 1_000_000)],
  ],
  options: [
    new Option('--beginning', 'at the first record').conflicts(['end', 'offset', 'time']),
    new Option('--end', 'at what comes next').conflicts(['offset', 'time']),
    new Option('--offset <offset>', 'at this record')
      .argParser(whole(0, Number.MAX_SAFE_INTEGER))
      .conflicts('time'),
    ['--time <time>', 'at the first record from then on', moment],
    ['--force', 'set it while the partition is being consumed'],
  ],
  examples: [
    'consumers reset -s webhooks webhook-dispatcher.assistant assistant.events.v1 3 --beginning',
    'consumers reset -s webhooks webhook-dispatcher.assistant assistant.events.v1 3 --offset 4711 --force',
  ],
  async write({ ops, at, show }, args, options) {
    const [consumer, topic, partition] = args as unknown as [string, string, number];
    const partitionOf = { consumer, topic, partition };
    const reset = await ops.post('/api/ops/{service}/consumers/reset', {
      params: { path: at },
      body: { ...partitionOf, to: targetOf(options), force: options['force'] === true },
    });
    show(
      { ...partitionOf, ...reset },
      `${consumer} goes on at ${topic}/${partition}@${reset.offset}, with ${reset.records} records up to the end of the log. It was at ${reset.from}.\n`,
    );
  },
};

const resetAll: OperatorVerb = {
  name: 'reset-all',
  about: 'Kafka lost its records: every partition goes on at the first one that it has now',
  examples: ['consumers reset-all -s webhooks'],
  async write({ ops, at, show }) {
    const reset = await ops.post('/api/ops/{service}/consumers/reset-all', {
      params: { path: at },
    });
    show(
      reset,
      `${reset.partitions} partitions go on at their beginning, with ${reset.records} records up to the ends of their logs.\n`,
    );
  },
};

type Target = Body<'/api/ops/{service}/consumers/reset', 'post'>['to'];

function targetOf({ beginning, end, offset, time }: Options): Target {
  if (beginning === true) return 'beginning';
  if (end === true) return 'end';
  if (typeof offset === 'number') return { offset };
  if (time instanceof Date) return { time: time.toISOString() };
  throw usage('Where should it go on? Say --beginning, --end, --offset or --time.');
}
