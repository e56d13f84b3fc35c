import { table } from '../output.js';
import { operatorGroup } from '../verbs.js';
import type { World } from '../world.js';

/** `junction shards …` */
export const command = (world: World) =>
  operatorGroup(
    world,
    [
      'shards',
      'shards of webhook-dispatcher: replicas, and the users that each sends for',
      'webhooks',
    ],
    [
      {
        name: 'list',
        about: 'replicas that live or have shards, and how long their leases last unless renewed',
        examples: ['shards list'],
        async read({ ops, show }) {
          const { items: owners, free } = await ops.get('/api/ops/webhook-dispatcher/shards');
          const rows = owners.map(({ owner, shards, alive, lease_left_s: left, partitions }) => [
            owner,
            alive ? 'alive' : 'gone',
            shards.length,
            shards.length > 0 ? `${left.toFixed(1)} s` : '',
            spans(partitions),
            spans(shards),
          ]);
          const titles = ['REPLICA', 'STATE', 'SHARDS', 'LEASE', 'PARTITIONS', 'WHICH'];
          const nobodys = free.length > 0 ? `Nobody has shards ${spans(free)}.\n` : '';
          show({ owners, free }, table(titles, rows, 'No replica is alive.') + nobodys);
        },
      },
    ],
  );

/** 0-3,7 of 0, 1, 2, 3 and 7. */
function spans(numbers: readonly number[]): string {
  const found: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = found.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}
