import { OpsServiceService, type RebuildProjectionResponse } from '@junction/contracts';
import { Command } from 'commander';
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
    .addCommand(discardCommand(world));

function listCommand(world: World): Command {
  const command = new Command('list')
    .description('each with its version, and its rebuild while there is one')
    .addHelpText('after', examples('projections list -s webhooks'));
  return asks(command, world, 'read', async ({ ops, json, output }) => {
    const { projections } = await ops.call(OpsServiceService.listProjections, {});
    if (json) {
      for (const projection of projections) output.out(line(projection));
      return;
    }
    const rows = projections.map(({ name, version, rebuild }) => [
      name,
      version,
      rebuild
        ? `version ${rebuild.version} ${rebuild.status}, ${rebuild.eventsDone} events done`
        : '',
    ]);
    output.out(table(['NAME', 'VERSION', 'REBUILD'], rows, 'There are no projections.'));
  });
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
