import {
  OpsServiceService,
  type ProjectionSummary,
  type RebuildProjectionResponse,
} from '@junction/contracts';
import { Command } from 'commander';
import { whole } from '../arguments.js';
import { line, table } from '../output.js';
import { asks, examples, type World } from '../world.js';
import { progressBar, progressLine } from './progress.js';
import { telling } from './telling.js';
import { toTheEnd } from './to-the-end.js';

/** `junction projections …` */
export const projectionsCommand = (world: World): Command =>
  new Command('projections')
    .description('read models: how they are, and building them anew')
    .addCommand(listCommand(world))
    .addCommand(rebuildCommand(world))
    .addCommand(discardCommand(world))
    .addCommand(retryCommand(world))
    .addCommand(skipCommand(world));

function listCommand(world: World): Command {
  const command = new Command('list')
    .description('each with its version, its lag and what stopped it')
    .addHelpText('after', examples('projections list -s webhooks'));
  return asks(command, world, 'read', async ({ ops, json, output }) => {
    const { projections } = await ops.call(OpsServiceService.listProjections, {});
    if (json) {
      for (const projection of projections) output.out(line(projection));
      return;
    }
    const rows = projections.map((projection) => [
      projection.name,
      projection.mode,
      projection.version,
      projection.status,
      projection.lagEvents,
      `${projection.lagSeconds.toFixed(1)} s`,
      remarksOn(projection),
    ]);
    const titles = ['NAME', 'MODE', 'VERSION', 'STATUS', 'BEHIND', 'FOR', 'REMARKS'];
    output.out(table(titles, rows, 'There are no projections.'));
  });
}

function remarksOn({ stop, skipped, rebuild }: ProjectionSummary): string {
  const remarks = [
    stop && `stopped at ${stop.position} (${stop.type}): ${stop.reason}`,
    skipped > 0 && `${skipped} left out`,
    rebuild && `version ${rebuild.version} ${rebuild.status}, ${rebuild.eventsDone} done`,
    rebuild?.stop && `it stopped at ${rebuild.stop.position}: ${rebuild.stop.reason}`,
  ];
  return remarks.filter(Boolean).join('; ');
}

function rebuildCommand(world: World): Command {
  const command = new Command('rebuild')
    .description(
      'fill a new version beside the one that answers, and switch over; goes on where it was',
    )
    .argument('<name>')
    .addHelpText('after', examples('projections rebuild -s webhooks webhooks'));
  return asks(command, world, 'write', async (asking, [name = '']) => {
    const { json, output, signal, ops } = asking;
    const shown = telling<RebuildProjectionResponse>(asking, {
      title: `Rebuilding ${name} …`,
      line: (progress) => progressLine(name, progress),
      drawn: (progress) => progressBar(name, progress),
    });
    const call = () => ops.stream(OpsServiceService.rebuildProjection, { name }, signal);
    const last = await toTheEnd(asking, call, shown.tell).finally(shown.end);
    if (!json)
      output.out(`${name} answers from version ${last.version}, ${last.eventsDone} events.\n`);
  });
}

function discardCommand(world: World): Command {
  const command = new Command('discard')
    .description('throw away what a rebuild that is not under way has filled')
    .argument('<name>');
  return asks(command, world, 'write', async ({ ops, output }, [name = '']) => {
    await ops.call(OpsServiceService.discardRebuild, { name });
    output.note(`The next rebuild of ${name} begins at the first event.`);
  });
}

function retryCommand(world: World): Command {
  const command = new Command('retry')
    .description('let a stopped projection try its event again')
    .argument('<name>');
  return asks(command, world, 'write', async ({ ops, output }, [name = '']) => {
    await ops.call(OpsServiceService.retryProjection, { name });
    output.note(`${name} tries again.`);
  });
}

function skipCommand(world: World): Command {
  const command = new Command('skip')
    .description('leave out, for ever, the event that stopped a projection')
    .argument('<name>')
    .argument(
      '<position>',
      'of that event, as projections list shows it',
      whole(1, Number.MAX_SAFE_INTEGER),
    )
    .addHelpText('after', examples('projections skip -s webhooks webhooks 4711'));
  return asks(command, world, 'write', async ({ ops, output }) => {
    const [name, position] = command.processedArgs as [string, number];
    await ops.call(OpsServiceService.skipProjectionEvent, { name, position });
    output.note(`${name} goes on behind event ${position}, without it.`);
  });
}
