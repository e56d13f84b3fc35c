import { Command } from 'commander';
import { z } from 'zod';
import { dataOf, type Open } from '../api/server-sent.js';
import { Failure } from '../failure.js';
import { camelCased } from '../output.js';
import { asks, examples, type World } from '../world.js';
import { followOperation } from './follow-operation.js';
import { progressDisplay } from './progress-display.js';

/** `junction keys …` */
export const keysCommand = (world: World): Command =>
  new Command('keys')
    .description('the key ring of a service (VAULT_KEYS), by the ids of its keys')
    .addCommand(listCommand(world))
    .addCommand(rotateCommand(world));

function listCommand(world: World): Command {
  const command = new Command('list')
    .description('each key, and what it has sealed; one that has sealed nothing may be taken out')
    .addHelpText('after', examples('keys list -s integrations'));
  return asks(command, world, 'read', async ({ ops, at, list }) => {
    const { items } = await ops.get('/api/ops/{service}/keys', { params: { path: at } });
    list(items, {
      titles: ['KEY', 'IT', 'HAS SEALED'],
      row: ({ key_id: keyId, in_ring: isInRing, newest, uses }) => [
        keyId,
        newest ? 'seals' : isInRing ? 'opens' : 'MISSING',
        uses.map((use) => `${use.rows} ${use.table}.${use.column}`).join(', ') || 'nothing',
      ],
      empty: 'The ring is empty.',
      json: camelCased,
    });
  });
}

const rotateProgress = z.object({
  phase: z.string(),
  key_id: z.string(),
  rows_done: z.number(),
  rows_total: z.number(),
  rows_left: z.number(),
  unreadable: z.number(),
});
type RotateProgress = z.infer<typeof rotateProgress>;

function rotateCommand(world: World): Command {
  const command = new Command('rotate')
    .description(
      'seal what older keys have sealed with the newest one, while everything goes on; again, it does the rest',
    )
    .addHelpText('after', examples('keys rotate -s integrations'));
  return asks(command, world, 'write', async (asking) => {
    const { json, output, signal, ops, at } = asking;
    const shown = progressDisplay(asking, { title: 'Sealing anew …', line: inWords });
    const open: Open = async (init) =>
      ops.request('post', '/api/ops/{service}/keys/rotate', { params: { path: at }, ...init });
    const call = () => dataOf(open, rotateProgress, signal);
    const last = await followOperation(asking, call, shown.tell).finally(shown.end);
    if (!json) output.out(`${inWords(last)}\n`);
    if (last.rows_left > 0) throw new Failure(remedy(last));
  });
}

/** After a lost connection the service counts anew, without the rows sealed before. */
const inWords = ({ phase, key_id: keyId, ...rows }: RotateProgress): string =>
  phase === 'done'
    ? `${keyId} has sealed anew what older keys had sealed.`
    : `${keyId} seals anew: ${rows.rows_done}/${rows.rows_total}`;

const remedy = ({ rows_left: left, unreadable }: RotateProgress): string =>
  `${left} rows are still under older keys: keep those in the ring. ` +
  `${unreadable} of them do not open: they were changed, or their key is missing. What else there is ` +
  'was in use, or was sealed by a replica with another newest key: run it again then.';
