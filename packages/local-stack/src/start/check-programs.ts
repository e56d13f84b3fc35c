import { execFile } from 'node:child_process';
import { LocalStackError } from '../local-stack-error.js';
import { inOneMessage } from '../preflight/preflight.mjs';
import type { World } from './environment.js';
import type { NodeProgram } from './node-child.js';
import { newSecrets } from './secrets.js';
import { withCheck } from './services.js';

const SILENCE_MS = 10_000;

/**
 * Has each program judge the environment that it will be started with, and the files that the environment names: a
 * program knows its own variables best. Needs built programs and no server, so this check comes after the build and
 * before Postgres and Kafka. No clock ends the check: on a busy machine it takes its time.
 * @throws LocalStackError with what all programs found
 */
export async function checkPrograms(
  place: Pick<World, 'root' | 'dataDir' | 'ports' | 'outer'>,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const programs = withCheck(rehearsed(place));
  const late = setTimeout(
    () => say('Waiting for the services to check their settings …'),
    SILENCE_MS,
  );
  const refusals = await Promise.all(programs.map(async (program) => refusalOf(program, signal)));
  clearTimeout(late);
  signal.throwIfAborted();
  const said = refusals.filter((refusal) => refusal !== undefined);
  if (said.length > 0) throw new LocalStackError(inOneMessage(said));
}

/**
 * Returns a world for checks. Stand-ins take the place of what the environment does not give and a start would
 * make.
 */
function rehearsed(place: Pick<World, 'root' | 'dataDir' | 'ports' | 'outer'>): World {
  const { outer, ports, dataDir } = place;
  const database = (variable: string) => outer[variable] || 'postgres://127.0.0.1/database';
  return {
    ...place,
    secrets: newSecrets(),
    databaseUrls: {
      auth: database('AUTH_DATABASE_URL'),
      integrations: database('INTEGRATIONS_DATABASE_URL'),
      webhooks: database('WEBHOOKS_DATABASE_URL'),
    },
    kafkaBrokers: outer['KAFKA_BROKERS'] || `127.0.0.1:${ports.KAFKA_PORT}`,
    serviceAccountsFile: `${dataDir}/service-accounts.json`,
  };
}

/**
 * Gives the words with which a program refuses its environment, and nothing where it was ended before it judged: a
 * program that does not get to judge here does so when it is started.
 */
export function refusalOf(
  { name, script, env }: Pick<NodeProgram, 'name' | 'script' | 'env'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, 'check'], { env, signal }, (error, stdout, stderr) => {
      const judged = typeof error?.code === 'number';
      resolve(judged ? refusalIn(name, `${stderr}${stdout}`.trim()) : undefined);
    });
  });
}

/** A service begins with its name, a provider does not. */
const refusalIn = (name: string, output: string): string =>
  output.startsWith(`${name}: `) ? output : `${name}: ${output}`;
