import { OpsServiceService, type VerifyStreamsResponse } from '@junction/contracts';
import { Command } from 'commander';
import { whole } from '../arguments.js';
import { Failure } from '../failure.js';
import { line, table } from '../output.js';
import { type Asking, asks, examples, type World } from '../world.js';

const PARTITION_MAX = 1_000_000;

/** `junction doctor` */
export function doctorCommand(world: World): Command {
  const command = new Command('doctor')
    .description('read every event, and say which streams are not as they must be')
    .addHelpText('after', examples('doctor -s webhooks'));
  return asks(command, world, 'read', async (asking) => {
    const verdict = await verify(asking);
    const { json, output } = asking;
    if (json) {
      output.out(line(verdict));
    } else {
      const rows = verdict.problems.map(({ streamId, problem, detail }) => [
        streamId,
        problem,
        detail,
      ]);
      if (rows.length > 0) output.out(table(['STREAM', 'PROBLEM', 'DETAIL'], rows, ''));
      output.out(`${verdict.streams} streams with ${verdict.events} events were read.\n`);
    }
    if (verdict.problems.length > 0) throw new Failure('Not all is well.');
    output.note('All is well.');
  });
}

async function verify({
  ops,
  signal,
}: Asking): Promise<NonNullable<VerifyStreamsResponse['verdict']>> {
  for await (const { verdict } of ops.stream(OpsServiceService.verifyStreams, {}, signal)) {
    if (verdict) return verdict;
  }
  throw new Failure('Broken off.');
}

/** `junction partitions …` */
export const partitionsCommand = (world: World): Command =>
  new Command('partitions')
    .description('the partitions of the events, ten million positions each')
    .addCommand(listCommand(world))
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
