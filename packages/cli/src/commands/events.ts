import { OpsServiceService } from '@junction/contracts';
import { Command, Option } from 'commander';
import { isUuid, limit, moment, VERSION_MAX, version, whole } from '../arguments.js';
import { usage } from '../failure.js';
import { fields, line, pretty, table } from '../output.js';
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
    .option('--after <version>', 'only those after it', whole(0, VERSION_MAX), 0)
    .addOption(limited())
    .addHelpText(
      'after',
      examples('events list -s webhooks webhook-wh_0199…', 'events list -s auth user-3c1f… --json'),
    );
  return asks(command, world, 'read', async (asking, [streamId = ''], options) => {
    const { after, limit } = options as { after: number; limit: number };
    const { json, output } = asking;
    const request = { streamId, afterVersion: after, limit };
    const { events, more } = await asking.ops.call(OpsServiceService.listStreamEvents, request);
    if (json) {
      for (const event of events) output.out(line(eventJson(event)));
      return;
    }
    const rows = events.map((event) => [
      event.version,
      event.type,
      event.recordedAt?.toISOString() ?? '',
      actorOf(event) ?? '',
      event.eventId,
    ]);
    output.out(
      table(['VERSION', 'TYPE', 'RECORDED', 'BY', 'EVENT'], rows, 'No events after that.'),
    );
    if (more) output.note(`There are more: --after ${events.at(-1)?.version ?? after}`);
  });
}

function streamsCommand(world: World): Command {
  const command = new Command('streams')
    .description('names of streams')
    .argument('[prefix]', 'what they begin with, for instance user-')
    .option('--after <stream>', 'only those after this name', '')
    .addOption(limited())
    .addHelpText('after', examples('events streams -s auth user-', 'events streams -s auth ops-'));
  return asks(command, world, 'read', async ({ ops, json, output }, [prefix = ''], options) => {
    const { after, limit } = options as { after: string; limit: number };
    const { streams, more } = await ops.call(OpsServiceService.listStreams, {
      prefix,
      after,
      limit,
    });
    if (json) {
      for (const { streamId, version } of streams) {
        output.out(line({ stream_id: streamId, version }));
      }
      return;
    }
    const rows = streams.map(({ streamId, version }) => [streamId, version]);
    output.out(table(['STREAM', 'VERSION'], rows, 'No such streams.'));
    if (more) output.note(`There are more: --after ${streams.at(-1)?.streamId ?? after}`);
  });
}

function showCommand(world: World): Command {
  const command = new Command('show')
    .description('one event, by its place or by its id')
    .argument('<place-or-event-id>', 'STREAM@VERSION, or the id of the event')
    .argument('[version]', 'after a stream: its place there', version)
    .option(
      '--stream <stream>',
      'where to look for the id: without it events are looked at one by one, newest first',
      '',
    )
    .addHelpText(
      'after',
      examples(
        'events show -s webhooks webhook-wh_0199…@3',
        'events show -s webhooks 1b4e28ba-2fa1-… --stream webhook-wh_0199…',
      ),
    );
  return asks(command, world, 'read', async ({ ops, json, output }, _, options) => {
    const [name, version] = command.processedArgs as [string, number | undefined];
    const { stream } = options as { stream: string };
    const request = placeOf(name, version, stream);
    const { event } = await ops.call(OpsServiceService.getEvent, request);
    if (event) output.out(json ? line(eventJson(event)) : eventText(event));
  });
}

function placeOf(name: string, version: number | undefined, stream: string) {
  const place = version === undefined ? splitPlace(name) : { streamId: name, version };
  if (place) {
    if (stream) throw usage('--stream goes with an event id. Here the stream is the first word.');
    return { eventId: '', ...place };
  }
  if (isUuid(name)) return { eventId: name.toLowerCase(), streamId: stream, version: 0 };
  throw usage(`Which event of ${name}? Add its version, ${name}@1, or give an event id.`);
}

function splitPlace(name: string) {
  const [, streamId, number] = /^([^@]+)@(\d{1,10})$/.exec(name) ?? [];
  if (streamId === undefined || number === undefined) return undefined;
  try {
    return { streamId, version: version(number) };
  } catch (error) {
    throw usage(`${name}: ${error instanceof Error ? error.message : ''}`);
  }
}

function stateCommand(world: World): Command {
  const command = new Command('state')
    .description("what a stream's events amount to")
    .argument('<stream>')
    .addOption(
      new Option('--version <version>', 'after this version')
        .argParser(whole(0, VERSION_MAX))
        .conflicts('at'),
    )
    .option('--at <time>', 'as it was then, for instance 2026-03-01T12:30:00Z', moment)
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
    await showState(asking, { streamId, asOf: asOf(version, at) });
  });
}

function asOf(version: number | undefined, at: Date | undefined) {
  if (version !== undefined) return { $case: 'version', value: version } as const;
  return at && ({ $case: 'time', value: at } as const);
}

async function showState(
  { ops, json, output }: Asking,
  request: { streamId: string; asOf: ReturnType<typeof asOf> },
): Promise<void> {
  const answer = await ops.call(OpsServiceService.getStreamState, request);
  const { streamId } = request;
  const { version, recordedAt } = answer;
  const state: unknown = JSON.parse(answer.stateJson);
  if (json) {
    output.out(
      line({ stream_id: streamId, version, recorded_at: recordedAt?.toISOString(), state }),
    );
    return;
  }
  output.out(fields({ stream: streamId, version, recorded: recordedAt?.toISOString() }));
  output.out(pretty(state));
}

function followCommand(world: World): Command {
  const command = new Command('follow')
    .description('events as they are committed, until Ctrl-C')
    .option(
      '-c, --category <aggregate>',
      'only streams of this aggregate, for instance webhook',
      '',
    )
    .addOption(
      new Option('--from <cursor>', 'after the event that showed it').conflicts('beginning'),
    )
    .option('--beginning', 'from the first event of all')
    .option('-n, --count <count>', 'end after so many', whole(1, VERSION_MAX))
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
      category: string;
      from?: string;
      beginning?: boolean;
      count?: number;
    };
    await followEvents(asking, { category, cursor: from, beginning, count });
  });
}
