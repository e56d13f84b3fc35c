import { Command } from 'commander';
import { dataOf, type Open } from '../api/server-sent.js';
import { camelCased } from '../output.js';
import { asks, examples, type World } from '../world.js';
import { followOperation } from './follow-operation.js';
import { progressBar, progressLine, type RebuildProgress, rebuildProgress } from './progress.js';
import { progressDisplay } from './progress-display.js';

/** `junction projections …` */
export const projectionsCommand = (world: World): Command =>
  new Command('projections')
    .description('read models, and rebuilding them')
    .addCommand(listCommand(world))
    .addCommand(rebuildCommand(world))
    .addCommand(discardCommand(world));

function listCommand(world: World): Command {
  const command = new Command('list')
    .description('read models with their versions, and their rebuilds while there are some')
    .addHelpText('after', examples('projections list -s webhooks'));
  return asks(command, world, 'read', async ({ ops, at, list }) => {
    const { items } = await ops.get('/api/ops/{service}/projections', { params: { path: at } });
    list(items, {
      titles: ['NAME', 'VERSION', 'REBUILD'],
      row: ({ name, version, rebuild }) => [
        name,
        version,
        rebuild
          ? `version ${rebuild.version} ${rebuild.status}, ${rebuild.events_done} events done`
          : '',
      ],
      empty: 'There are no projections.',
      json: camelCased,
    });
  });
}

function rebuildCommand(world: World): Command {
  const command = new Command('rebuild')
    .description(
      'fill a new version beside the one that answers, and switch over; goes on where it was',
    )
    .argument('<name>')
    .addHelpText('after', examples('projections rebuild -s webhooks webhooks'));
  return asks(command, world, 'write', async (asking, [projection = '']) => {
    const { json, output, signal, ops, at } = asking;
    const shown = progressDisplay<RebuildProgress>(asking, {
      title: `Rebuilding ${projection} …`,
      line: (progress) => progressLine(projection, progress),
      drawn: (progress) => progressBar(projection, progress),
    });
    const params = { path: { ...at, name: projection } };
    const open: Open = async (init) =>
      ops.request('post', '/api/ops/{service}/projections/{name}/rebuild', { params, ...init });
    const call = () => dataOf(open, rebuildProgress, signal);
    const last = await followOperation(asking, call, shown.tell).finally(shown.end);
    if (json) return;
    output.out(`${projection} answers from version ${last.version}, ${last.events_done} events.\n`);
  });
}

function discardCommand(world: World): Command {
  const command = new Command('discard')
    .description('throw away what a rebuild that is not under way has filled')
    .argument('<name>');
  return asks(command, world, 'write', async ({ ops, at, output }, [projection = '']) => {
    const params = { path: { ...at, name: projection } };
    await ops.delete('/api/ops/{service}/projections/{name}/rebuild', { params });
    output.note(`The next rebuild of ${projection} begins at the first event.`);
  });
}
