import { once } from 'node:events';
import path from 'node:path';
import { holderOf, LocalStackError } from '@junction/local-stack';
import { type Endpoints, readEndpoints } from './endpoints.js';
import { startProduct } from './product.js';
import { tellStory } from './story.js';
import { teller, wantsColour } from './teller.js';
import { tellTrouble } from './trouble.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const INTERRUPTED = 130;
/** A circuit that rests for a moment only: nobody waits half a minute for a demo. */
const SETTINGS = { WEBHOOK_BREAKER_RESET_S: '3' };

const told = teller(console.log, wantsColour(process.stdout, process.env));

async function main(signal: AbortSignal): Promise<void> {
  const running = await runningEndpoints();
  if (running !== undefined) {
    console.log(`Using the product that runs at ${running.gateway}.`);
    await tellAll(running, signal);
    return;
  }
  console.log('Starting the product with throw-away data …');
  const product = await startProduct(process.env, SETTINGS, signal);
  try {
    await tellAll(product.endpoints, signal);
    if (process.stdin.isTTY && process.stdout.isTTY) {
      console.log('It runs until you press Ctrl-C, which deletes its data.');
      await once(signal, 'abort');
    }
  } finally {
    await product.stop();
  }
}

/** Tells both stories, until somebody presses Ctrl-C, and says which pages show their results. */
async function tellAll(endpoints: Endpoints, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const interrupted = once(signal, 'abort').then(() => signal.throwIfAborted());
  const telling = async () => {
    told.headline('The main job');
    await tellStory(endpoints, told.tell);
    told.headline('A receiver that fails');
    return tellTrouble(endpoints, told.tell);
  };
  const grace = await Promise.race([telling(), interrupted]);
  if (!grace) return;
  told.headline(`Done: ${told.steps()} steps, all as they should be.`);
  console.log(`Look at it in the dashboard: ${endpoints.gateway}/deliveries`);
  console.log(`Sign in as ${grace.email} with the password “${grace.password}”.`);
}

/** The product of this folder, if it has been started and answers. */
async function runningEndpoints(): Promise<Endpoints | undefined> {
  const dataDir = path.resolve(ROOT, process.env['JUNCTION_DATA_DIR'] || '.junction');
  try {
    const endpoints = readEndpoints(dataDir);
    if (holderOf(dataDir) === undefined) return undefined; // another folder's answers there now
    const { ok } = await fetch(new URL('/.well-known/jwks.json', endpoints.gateway), {
      signal: AbortSignal.timeout(2_000),
    });
    return ok ? endpoints : undefined;
  } catch {
    return undefined; // Never started, or stopped since.
  }
}

// A signal stops what the demo started and deletes its data before the process ends.
const interrupt = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => interrupt.abort());
}

try {
  await main(interrupt.signal);
} catch (error) {
  if (interrupt.signal.aborted) process.exit(INTERRUPTED);
  console.error(`\nThe demo failed at step ${told.steps() + 1}.`);
  console.error(error instanceof LocalStackError ? error.message : error);
  process.exitCode = 1;
}
