import { Option } from 'commander';
import { isUuid, moment, VERSION_MAX, version, whole } from '../arguments.js';
import { Failure, usage } from '../failure.js';
import { fields, pretty } from '../output.js';
import { type OperatorVerb, operatorGroup, operatorList } from '../verbs.js';
import type { OpsContext, World } from '../world.js';
import { actorOf, eventJson, eventText } from './event-text.js';
import { followEvents } from './follow.js';

/** `junction events …` */
export const command = (world: World) =>
  operatorGroup(
    world,
    ['events', 'look at streams and their events; what is sealed reads [sealed]'],
    [list, streams, show, state, follow],
  );

const list = operatorList({
  name: 'list',
  about: "a stream's events",
  args: [['<stream>', 'for instance webhook-wh_0199…']],
  examples: ['events list -s webhooks webhook-wh_0199…', 'events list -s auth user-3c1f… --json'],
  path: '/api/ops/{service}/streams/{stream_id}/events',
  takes: ['stream_id'],
  words: { cursor: ['--after <version>', 'version that the list goes on after'] },
  columns: {
    VERSION: 'version',
    TYPE: 'type',
    RECORDED: 'recorded_at',
    BY: ({ metadata }) => actorOf(metadata) ?? '',
    EVENT: 'event_id',
  },
  empty: 'There are no events after that.',
  json: eventJson,
});

const streams = operatorList({
  name: 'streams',
  about: 'names of streams',
  args: [['[prefix]', 'beginning of their names, for instance user-']],
  examples: ['events streams -s auth user-', 'events streams -s auth ops-'],
  path: '/api/ops/{service}/streams',
  takes: ['prefix'],
  words: { cursor: ['--after <stream>', 'name that the list goes on after'] },
  columns: { STREAM: 'stream_id', VERSION: 'version' },
  empty: 'There are no such streams.',
});

const show: OperatorVerb = {
  name: 'show',
  about: 'show an event, by its place or by its id',
  args: [
    ['<place-or-event-id>', 'STREAM@VERSION, or the id of the event'],
    ['[version]', 'version of the event in the stream', version],
  ],
  options: [
    [
      '--stream <stream>',
      'stream to look for the id in: without it events are looked at one by one, newest first',
    ],
  ],
  examples: [
    'events show -s webhooks webhook-wh_0199…@3',
    'events show -s webhooks 1b4e28ba-2fa1-… --stream webhook-wh_0199…',
  ],
  async read(context, args, options) {
    const [text, version] = args as unknown as [string, number | undefined];
    const { stream } = options as { stream?: string };
    const place = version === undefined ? splitPlace(text) : { stream_id: text, version };
    if (place && stream !== undefined) {
      throw usage('--stream goes with an event id. Here the stream is the first word.');
    }
    const event = place ? await eventAt(context, place) : await eventById(context, text, stream);
    context.show(eventJson(event), eventText(event));
  },
};

interface Place {
  readonly stream_id: string;
  readonly version: number;
}

async function eventAt({ ops, at }: OpsContext, { stream_id, version }: Place) {
  const { items } = await ops.get('/api/ops/{service}/streams/{stream_id}/events', {
    params: { path: { ...at, stream_id }, query: { cursor: version - 1, limit: 1 } },
  });
  const [event] = items;
  if (event) return event;
  throw new Failure(`${stream_id} has no event at version ${version}. (event_not_found)`);
}

async function eventById({ ops, at }: OpsContext, id: string, stream: string | undefined) {
  if (!isUuid(id))
    throw usage(`Which event of ${id}? Add its version, ${id}@1, or give an event id.`);
  const query = stream === undefined ? {} : { stream_id: stream };
  const params = { path: { ...at, event_id: id.toLowerCase() }, query };
  return ops.get('/api/ops/{service}/events/{event_id}', { params });
}

function splitPlace(name: string): Place | undefined {
  const [, streamId, number] = /^([^@]+)@(\d{1,10})$/.exec(name) ?? [];
  if (streamId === undefined || number === undefined) return undefined;
  try {
    return { stream_id: streamId, version: version(number) };
  } catch (error) {
    throw usage(`${name}: ${error instanceof Error ? error.message : ''}`);
  }
}

const state: OperatorVerb = {
  name: 'state',
  about: "show what a stream's events amount to",
  args: [['<stream>']],
  options: [
    new Option('--version <version>', 'after this version')
      .argParser(whole(0, VERSION_MAX))
      .conflicts('at'),
    ['--at <time>', 'time to show the state of, for instance 2026-03-01T12:30:00Z', moment],
  ],
  examples: [
    'events state -s webhooks webhook-wh_0199…',
    'events state -s webhooks webhook-wh_0199… --version 2',
    'events state -s webhooks webhook-wh_0199… --at 2026-03-01T12:30:00Z',
  ],
  async read({ ops, at, show }, [stream_id = ''], options) {
    const asOf = options as { version?: number; at?: Date };
    const query = {
      ...(asOf.version !== undefined && { version: asOf.version }),
      ...(asOf.at && { time: asOf.at.toISOString() }),
    };
    const found = await ops.get('/api/ops/{service}/streams/{stream_id}/state', {
      params: { path: { ...at, stream_id }, query },
    });
    const { version, state, recorded_at: recorded } = found;
    show(
      { stream_id, version, recorded_at: recorded ?? undefined, state },
      fields({ stream: stream_id, version, recorded: recorded ?? undefined }) + pretty(state),
    );
  },
};

const follow: OperatorVerb = {
  name: 'follow',
  about: 'events as they are committed, until Ctrl-C',
  options: [
    ['-c, --category <aggregate>', 'aggregate to filter by, for instance webhook'],
    new Option('--from <cursor>', 'after the event that showed it').conflicts('beginning'),
    ['--beginning', 'begin at the first event of all'],
    ['-n, --count <count>', 'number of events to end after', whole(1, VERSION_MAX)],
  ],
  examples: ['events follow -s webhooks', 'events follow -s auth -c session --json'],
  read: async (context, _, options) => followEvents(context, options),
};
