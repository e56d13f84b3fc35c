import { camelCased } from '../output.js';
import { type OperatorVerb, operatorGroup, operatorList } from '../verbs.js';
import type { World } from '../world.js';
import { followOperation } from './follow-operation.js';
import { progressBar, progressLine, rebuildProgress } from './progress.js';

/** `junction projections …` */
export const command = (world: World) =>
  operatorGroup(
    world,
    ['projections', 'read models, and rebuilding them'],
    [list, rebuild, discard],
  );

const list = operatorList({
  name: 'list',
  about: 'read models with their versions, and their rebuilds while there are some',
  examples: ['projections list -s webhooks'],
  path: '/api/ops/{service}/projections',
  columns: {
    NAME: 'name',
    VERSION: 'version',
    REBUILD: ({ rebuild: one }) =>
      one ? `version ${one.version} ${one.status}, ${one.events_done} events done` : '',
  },
  empty: 'There are no projections.',
  json: camelCased,
});

const rebuild: OperatorVerb = {
  name: 'rebuild',
  about: 'fill a new version beside the one that answers, and switch over; goes on where it was',
  args: [['<name>']],
  examples: ['projections rebuild -s webhooks webhooks'],
  async write(context, [name = '']) {
    const { json, output, ops, at } = context;
    const params = { path: { ...at, name } };
    const last = await followOperation(
      context,
      async (init) =>
        ops.request('post', '/api/ops/{service}/projections/{name}/rebuild', { params, ...init }),
      rebuildProgress,
      {
        title: `Rebuilding ${name} …`,
        line: (progress) => progressLine(name, progress),
        drawn: (progress) => progressBar(name, progress),
      },
    );
    if (json) return;
    output.out(`${name} answers from version ${last.version}, ${last.events_done} events.\n`);
  },
};

const discard: OperatorVerb = {
  name: 'discard',
  about: 'throw away what a rebuild that is not under way has filled',
  args: [['<name>']],
  async write({ ops, at, output }, [name = '']) {
    const params = { path: { ...at, name } };
    await ops.delete('/api/ops/{service}/projections/{name}/rebuild', { params });
    output.note(`The next rebuild of ${name} begins at the first event.`);
  },
};
