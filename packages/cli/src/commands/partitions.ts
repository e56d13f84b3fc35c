import { OpsServiceService, type TakeSnapshotsResponse } from '@junction/contracts';
import { Command } from 'commander';
import { whole } from '../arguments.js';
import { Failure } from '../failure.js';
import { line, table } from '../output.js';
import { asks, examples, type World } from '../world.js';
import { telling } from './telling.js';
import { toTheEnd } from './to-the-end.js';

const PARTITION_MAX = 1_000_000;

/** `junction partitions …` */
export const partitionsCommand = (world: World): Command =>
  new Command('partitions')
    .description('the partitions of the events, ten million positions each')
    .addCommand(listCommand(world))
    .addCommand(snapshotCommand(world))
    .addCommand(archiveCommand(world))
    .addCommand(attachCommand(world));

function listCommand(world: World): Command {
  const command = new Command('list').description('attached and archived ones');
  return asks(command, world, 'read', async ({ ops, json, output }) => {
    const { partitions } = await ops.call(OpsServiceService.listPartitions, {});
    if (json) {
      for (const partition of partitions) output.out(line(partition));
      return;
    }
    const rows = partitions.map(({ number, state, events, bytes }) => [
      number,
      state,
      events,
      bytes,
    ]);
    output.out(table(['NUMBER', 'STATE', 'EVENTS (ESTIMATE)', 'BYTES'], rows, 'None.'));
  });
}

const numbered = (name: string): Command =>
  new Command(name).argument('<number>', 'as partitions list shows it', whole(0, PARTITION_MAX));

function snapshotCommand(world: World): Command {
  const command = numbered('snapshot')
    .description('take the snapshots that its archive waits for; goes on where it was')
    .addHelpText('after', examples('partitions snapshot -s integrations 0'));
  return asks(command, world, 'write', async (asking) => {
    const [number] = command.processedArgs as [number];
    const { json, output, signal, ops } = asking;
    const shown = telling(asking, { title: 'Looking for streams …', line: inWords });
    const call = () => ops.stream(OpsServiceService.takeSnapshots, { number }, signal);
    const last = await toTheEnd(asking, call, shown.tell).finally(shown.end);
    if (!json) output.out(`${inWords(last)}\n`);
    if (last.streamsLeft > 0) throw new Failure(standing(last));
  });
}

/** A lost connection is made anew: what was taken before is in no count then. */
const inWords = ({ phase, streamsDone, streamsTotal }: TakeSnapshotsResponse): string =>
  phase === 'done'
    ? 'The snapshots are taken.'
    : `Taking snapshots: ${streamsDone}/${streamsTotal}`;

const standing = ({ streamsLeft }: TakeSnapshotsResponse): string =>
  `${streamsLeft} streams still stand in the way of an archive: they are not closed, and no snapshots are ` +
  'taken of their aggregate, or taking one failed, of which the log of the service tells. partitions ' +
  'archive names some of them.';

function archiveCommand(world: World): Command {
  const command = numbered('archive')
    .description('detach a full one whose streams are closed or covered by snapshots')
    .addHelpText('after', examples('partitions archive -s webhooks 0'));
  return asks(command, world, 'write', async ({ ops, json, output }) => {
    const [number] = command.processedArgs as [number];
    const { table: name } = await ops.call(OpsServiceService.archivePartition, { number });
    output.out(
      json
        ? line({ number, table: name })
        : `Its events are in ${name} now: dump it, then drop it.\n`,
    );
  });
}

function attachCommand(world: World): Command {
  const command = numbered('attach')
    .description('put an archived one back')
    .addHelpText('after', examples('partitions attach -s webhooks 0'));
  return asks(command, world, 'write', async ({ ops, output }) => {
    const [number] = command.processedArgs as [number];
    await ops.call(OpsServiceService.attachPartition, { number });
    output.note(`Partition ${number} is read again.`);
  });
}
