import { OpsServiceService, type RotateKeysResponse } from '@junction/contracts';
import { Command } from 'commander';
import { Failure } from '../failure.js';
import { line, table } from '../output.js';
import { asks, examples, type World } from '../world.js';
import { telling } from './telling.js';
import { toTheEnd } from './to-the-end.js';

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
  return asks(command, world, 'read', async ({ ops, json, output }) => {
    const { keys } = await ops.call(OpsServiceService.listKeys, {});
    if (json) {
      for (const key of keys) output.out(line(key));
      return;
    }
    const rows = keys.map(({ keyId, inRing, newest, uses }) => [
      keyId,
      newest ? 'seals' : inRing ? 'opens' : 'MISSING',
      uses.map((use) => `${use.rows} ${use.table}.${use.column}`).join(', ') || 'nothing',
    ]);
    output.out(table(['KEY', 'IT', 'HAS SEALED'], rows, 'The ring is empty.'));
  });
}

function rotateCommand(world: World): Command {
  const command = new Command('rotate')
    .description(
      'seal what older keys have sealed with the newest one, while everything goes on; again, it does the rest',
    )
    .addHelpText('after', examples('keys rotate -s integrations'));
  return asks(command, world, 'write', async (asking) => {
    const { json, output, signal, ops } = asking;
    const shown = telling(asking, { title: 'Sealing anew …', line: inWords });
    const call = () => ops.stream(OpsServiceService.rotateKeys, {}, signal);
    const last = await toTheEnd(asking, call, shown.tell).finally(shown.end);
    if (!json) output.out(`${inWords(last)}\n`);
    if (last.rowsLeft > 0) throw new Failure(remedy(last));
  });
}

/** After a lost connection the service counts anew, without the rows sealed before. */
const inWords = ({ phase, keyId, rowsDone, rowsTotal }: RotateKeysResponse): string =>
  phase === 'done'
    ? `${keyId} has sealed anew what older keys had sealed.`
    : `${keyId} seals anew: ${rowsDone}/${rowsTotal}`;

const remedy = ({ rowsLeft, unreadable }: RotateKeysResponse): string =>
  `${rowsLeft} rows are still under older keys: keep those in the ring. ` +
  `${unreadable} of them do not open: they were changed, or their key is missing. What else there is ` +
  'was in use, or was sealed by a replica with another newest key: run it again then.';
