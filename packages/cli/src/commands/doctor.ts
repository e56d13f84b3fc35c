import type { JunctionClient } from '@junction/client';
import { z } from 'zod';
import { dataOf, type Open } from '../api/server-sent.js';
import { operatorAt } from '../connection.js';
import { Failure } from '../failure.js';
import { line, printable } from '../output.js';
import { AUDIENCES, SERVICES, type ServiceName } from '../settings.js';
import { commandOf } from '../verbs.js';
import { serviceNamed, type World } from '../world.js';

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
export const command = (world: World) =>
  commandOf({
    name: 'doctor',
    about: 'problems of the services and of what they need, and what to do about each',
    options: [
      serviceNamed('only this one'),
      ['--events', 'read every event too, and say which streams are damaged'],
      ['--json', 'JSON for machines, a value on each line'],
    ],
    examples: ['doctor', 'doctor -s webhooks --events'],
  }).action(async (options: DoctorOptions) => {
    const { service, events = false, json = false } = options;
    const services = service ? [service] : SERVICES;
    const found = await Promise.all(services.map((one) => examine(world, one, events)));
    const all = together(found.flat());
    world.output.out(json ? all.map(line).join('') : text(all));
    const problems = all.filter(({ state }) => state === 'problem').length;
    if (problems > 0)
      throw new Failure(problems === 1 ? 'There is 1 problem.' : `There are ${problems} problems.`);
    world.output.note('There are no problems.');
  });

async function examine(
  world: World,
  service: ServiceName,
  withEvents: boolean,
): Promise<readonly Found[]> {
  const asOperator = operatorAt(world, service);
  try {
    return await asOperator('read', async (ops) => {
      const { findings } = await ops.get('/api/ops/{service}/doctor', {
        params: { path: { service: AUDIENCES[service] } },
        signal: world.signal,
      });
      const ofEvents = withEvents ? await verify(ops, service, world.signal) : [];
      return [...findings, ...ofEvents].map((finding) => ({ service, ...finding }));
    });
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode !== 1 || world.signal.aborted) throw error;
    const remedy = `Its container's log says what it waits for; the command \`doctor\` there (node main.mjs doctor) looks at the rest.`;
    return [{ service, check: 'service', state: 'problem', found: error.message, remedy }];
  }
}

/** Leaves one of the problems that services share: without auth, which gives the tokens, none of them can be asked. */
function together(all: readonly Found[]): readonly Found[] {
  const isFirst = ({ check, found }: Found, place: number) =>
    check !== 'service' || all.findIndex((one) => one.found === found) === place;
  return all.filter(isFirst).map((one) => {
    const alike = all.filter(({ found }) => one.check === 'service' && found === one.found);
    if (alike.length < 2) return one;
    const names = alike.map(({ service }) => service).join(', ');
    return { ...one, found: `${one.found} So nothing was looked at of ${names}.` };
  });
}

const verdict = z.object({
  streams: z.number(),
  events: z.number(),
  problems: z.array(z.object({ stream_id: z.string(), problem: z.string(), detail: z.string() })),
});

/** Verifies the streams. The service reads every event, which may take minutes. */
async function verify(
  ops: JunctionClient,
  service: ServiceName,
  signal: AbortSignal,
): Promise<readonly Omit<Found, 'service'>[]> {
  const open: Open = async (init) =>
    ops.request('get', '/api/ops/{service}/verification', {
      params: { path: { service: AUDIENCES[service] } },
      ...init,
    });
  for await (const reached of dataOf(open, verdict, signal)) return judged(reached);
  throw new Failure('The reading of the events was broken off.');
}

function judged({
  streams,
  events,
  problems,
}: z.infer<typeof verdict>): readonly Omit<Found, 'service'>[] {
  const check = 'events';
  const read = `${streams} streams with ${events} events were read.`;
  return [
    { check, state: 'ok', found: read, remedy: '' },
    ...problems.map(({ stream_id: streamId, problem, detail }) => ({
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
