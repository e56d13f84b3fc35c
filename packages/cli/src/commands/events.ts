import { Command, Option } from 'commander';
import { isUuid, limit, moment, VERSION_MAX, version, whole } from '../arguments.js';
import { usage } from '../failure.js';
import { fields, pretty } from '../output.js';
import { type Asking, asks, examples, type World } from '../world.js';
import { actorOf, eventJson, eventText } from './event-text.js';
import { followEvents } from './follow.js';

const LIMIT_DEFAULT = 100;

const limited = () =>
  new Option('-n, --limit <count>', 'at most so many').argParser(limit).default(LIMIT_DEFAULT);

/** `junction events …` */
export const eventsCommand = (world: World): Command =>
  new Command('events')
    .description('look at streams and their events; what is sealed reads [sealed]')
    .addCommand(listCommand(world))
    .addCommand(streamsCommand(world))
    .addCommand(showCommand(world))
    .addCommand(stateCommand(world))
    .addCommand(followCommand(world));

function listCommand(world: World): Command {
  const command = new Command('list')
    .description("a stream's events")
    .argument('<stream>', 'for instance webhook-wh_0199…')
    .option('--after <version>', 'version that the list goes on after', whole(0, VERSION_MAX), 0)
    .addOption(limited())
    .addHelpText(
      'after',
      examples('events list -s webhooks webhook-wh_0199…', 'events list -s auth user-3c1f… --json'),
    );
  return asks(command, world, 'read', async (asking, [streamId = ''], options) => {
    const { after, limit } = options as { after: number; limit: number };
    const { ops, at, list, output } = asking;
    const { items, next_cursor: next } = await ops.get(
      '/api/ops/{service}/streams/{stream_id}/events',
      { params: { path: { ...at, stream_id: streamId }, query: { cursor: after, limit } } },
    );
    list(items, {
      titles: ['VERSION', 'TYPE', 'RECORDED', 'BY', 'EVENT'],
      row: (event) => [
        event.version,
        event.type,
        event.recorded_at,
        actorOf(event.metadata) ?? '',
        event.event_id,
      ],
      empty: 'There are no events after that.',
      json: eventJson,
    });
    if (next !== null) output.note(`There are more: --after ${next}`);
  });
}

function streamsCommand(world: World): Command {
  const command = new Command('streams')
    .description('names of streams')
    .argument('[prefix]', 'beginning of their names, for instance user-')
    .option('--after <stream>', 'name that the list goes on after')
    .addOption(limited())
    .addHelpText('after', examples('events streams -s auth user-', 'events streams -s auth ops-'));
  return asks(command, world, 'read', async ({ ops, at, list, output }, [prefix], options) => {
    const { after, limit } = options as { after?: string; limit: number };
    const query = {
      ...(prefix !== undefined && { prefix }),
      ...(after !== undefined && { cursor: after }),
      limit,
    };
    const { items, next_cursor: next } = await ops.get('/api/ops/{service}/streams', {
      params: { path: at, query },
    });
    list(items, {
      titles: ['STREAM', 'VERSION'],
      row: ({ stream_id: streamId, version }) => [streamId, version],
      empty: 'There are no such streams.',
    });
    if (next !== null) output.note(`There are more: --after ${next}`);
  });
}

function showCommand(world: World): Command {
  const command = new Command('show')
    .description('show an event, by its place or by its id')
    .argument('<place-or-event-id>', 'STREAM@VERSION, or the id of the event')
    .argument('[version]', 'version of the event in the stream', version)
    .option(
      '--stream <stream>',
      'stream to look for the id in: without it events are looked at one by one, newest first',
    )
    .addHelpText(
      'after',
      examples(
        'events show -s webhooks webhook-wh_0199…@3',
        'events show -s webhooks 1b4e28ba-2fa1-… --stream webhook-wh_0199…',
      ),
    );
  return asks(command, world, 'read', async (asking, _, options) => {
    const [text, version] = command.processedArgs as [string, number | undefined];
    const { stream } = options as { stream?: string };
    const place = version === undefined ? splitPlace(text) : { stream_id: text, version };
    if (place && stream !== undefined) {
      throw usage('--stream goes with an event id. Here the stream is the first word.');
    }
    const event = place ? await eventAt(asking, place) : await eventById(asking, text, stream);
    asking.show(eventJson(event), eventText(event));
  });
}

interface Place {
  readonly stream_id: string;
  readonly version: number;
}

const eventAt = async ({ ops, at }: Asking, { stream_id, version }: Place) =>
  ops.get('/api/ops/{service}/streams/{stream_id}/events/{version}', {
    params: { path: { ...at, stream_id, version: String(version) } },
  });

async function eventById({ ops, at }: Asking, id: string, stream: string | undefined) {
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

function stateCommand(world: World): Command {
  const command = new Command('state')
    .description("show what a stream's events amount to")
    .argument('<stream>')
    .addOption(
      new Option('--version <version>', 'after this version')
        .argParser(whole(0, VERSION_MAX))
        .conflicts('at'),
    )
    .option('--at <time>', 'time to show the state of, for instance 2026-03-01T12:30:00Z', moment)
    .addHelpText(
      'after',
      examples(
        'events state -s webhooks webhook-wh_0199…',
        'events state -s webhooks webhook-wh_0199… --version 2',
        'events state -s webhooks webhook-wh_0199… --at 2026-03-01T12:30:00Z',
      ),
    );
  return asks(command, world, 'read', async (asking, [streamId = ''], options) => {
    const { version, at } = options as { version?: number; at?: Date };
    await showState(asking, streamId, {
      ...(version !== undefined && { version }),
      ...(at && { time: at.toISOString() }),
    });
  });
}

async function showState(
  { ops, at, show }: Asking,
  streamId: string,
  asOf: { readonly version?: number; readonly time?: string },
): Promise<void> {
  const { version, recorded_at, state } = await ops.get(
    '/api/ops/{service}/streams/{stream_id}/state',
    { params: { path: { ...at, stream_id: streamId }, query: asOf } },
  );
  const recorded = recorded_at ?? undefined;
  show(
    { stream_id: streamId, version, recorded_at: recorded, state },
    fields({ stream: streamId, version, recorded }) + pretty(state),
  );
}

function followCommand(world: World): Command {
  const command = new Command('follow')
    .description('events as they are committed, until Ctrl-C')
    .option('-c, --category <aggregate>', 'aggregate to filter by, for instance webhook')
    .addOption(
      new Option('--from <cursor>', 'after the event that showed it').conflicts('beginning'),
    )
    .option('--beginning', 'begin at the first event of all')
    .option('-n, --count <count>', 'number of events to end after', whole(1, VERSION_MAX))
    .addHelpText(
      'after',
      examples('events follow -s webhooks', 'events follow -s auth -c session --json'),
    );
  return asks(command, world, 'read', async (asking, _, options) => {
    const {
      category,
      from,
      beginning = false,
      count,
    } = options as {
      category?: string;
      from?: string;
      beginning?: boolean;
      count?: number;
    };
    await followEvents(asking, { category, cursor: from, beginning, count });
  });
}
