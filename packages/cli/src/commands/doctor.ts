import { OpsServiceService, type StreamsVerdict } from '@junction/contracts';
import { Command, Option } from 'commander';
import { type Connection, connect } from '../connection.js';
import { Failure } from '../failure.js';
import { line, printable } from '../output.js';
import { SERVICES, type ServiceName, settingsOf } from '../settings.js';
import { examples, type World } from '../world.js';

interface DoctorOptions {
  readonly service?: ServiceName;
  readonly events?: boolean;
  readonly json?: boolean;
}

interface Found {
  readonly service: ServiceName;
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly remedy: string;
}

/** `junction doctor` */
export const doctorCommand = (world: World): Command =>
  new Command('doctor')
    .description('what of the services and what they need is not as it must be, and what to do')
    .addOption(new Option('-s, --service <service>', 'only this one').choices(SERVICES))
    .option('--events', 'also read every event, and say which streams are not as they must be')
    .option('--json', 'one JSON value on each line, for machines')
    .addHelpText('after', examples('doctor', 'doctor -s webhooks --events'))
    .action(async (options: DoctorOptions) => {
      const { service, events = false, json = false } = options;
      const services = service ? [service] : SERVICES;
      const found = await Promise.all(services.map((one) => examine(world, one, events)));
      const all = found.flat();
      world.output.out(json ? all.map(line).join('') : text(all));
      const problems = all.filter(({ state }) => state === 'problem').length;
      if (problems > 0) throw new Failure(`Not all is well: ${problems} to be mended.`);
      world.output.note('All is well.');
    });

async function examine(
  { env, cwd, signal }: World,
  service: ServiceName,
  withEvents: boolean,
): Promise<readonly Found[]> {
  const ops = connect(settingsOf(env, cwd, service), service, { write: false });
  try {
    const { findings } = await ops.call(OpsServiceService.diagnose, {});
    const ofEvents = withEvents ? await verify(ops, signal) : [];
    return [...findings, ...ofEvents].map((finding) => ({ service, ...finding }));
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode !== 1) throw error;
    const remedy = `Its container's log says what it waits for; the command \`doctor\` there (node main.mjs doctor) looks at the rest.`;
    return [{ service, check: 'service', state: 'problem', found: error.message, remedy }];
  } finally {
    ops.close();
  }
}

/** Verifies the streams. The service reads every event, which may take minutes. */
async function verify(
  ops: Connection,
  signal: AbortSignal,
): Promise<readonly Omit<Found, 'service'>[]> {
  for await (const { verdict } of ops.stream(OpsServiceService.verifyStreams, {}, signal)) {
    if (verdict) return judged(verdict);
  }
  throw new Failure('Broken off.');
}

function judged({ streams, events, problems }: StreamsVerdict): readonly Omit<Found, 'service'>[] {
  const check = 'events';
  const read = `${streams} streams with ${events} events were read.`;
  return [
    { check, state: 'ok', found: read, remedy: '' },
    ...problems.map(({ streamId, problem, detail }) => ({
      check,
      state: 'problem',
      found: `${streamId}: ${problem}, ${detail}`,
      remedy: 'Restore this database, or its file system: no command repairs a stream.',
    })),
  ];
}

/** A line for each, and below it what to do. */
const text = (all: readonly Found[]): string =>
  all
    .map(({ service, check, state, found, remedy }) => {
      const head = `${state.padEnd(STATE_WIDTH)}${service.padEnd(SERVICE_WIDTH)}`;
      const says = `${head}${printable(`${check}: ${found}`)}\n`;
      return remedy === '' ? says : `${says}${' '.repeat(head.length)}${printable(remedy)}\n`;
    })
    .join('');

const STATE_WIDTH = 9;
const SERVICE_WIDTH = 14;
