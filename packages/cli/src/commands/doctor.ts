import { OpsServiceService, type VerifyStreamsResponse } from '@junction/contracts';
import { Command } from 'commander';
import { Failure } from '../failure.js';
import { line, table } from '../output.js';
import { type Asking, asks, examples, type World } from '../world.js';

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
