import { once } from 'node:events';
import path from 'node:path';
import { holderOf, LocalStackError } from '@junction/local-stack';
import { type Endpoints, readEndpoints } from './endpoints.js';
import { startProduct } from './product.js';
import { tellStory } from './story.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const INTERRUPTED = 130;

let steps = 0;
function tell(step: string, result?: unknown): void {
  steps += 1;
  console.log(`\n${String(steps).padStart(2)}. ${step}`);
  if (result !== undefined) console.log(indented(JSON.stringify(result, null, 2)));
}

const indented = (text: string) => text.replaceAll(/^/gm, '    ');

async function main(signal: AbortSignal): Promise<void> {
  const running = await runningEndpoints();
  if (running !== undefined) {
    console.log(`Using the product that runs at ${running.gateway}.`);
    await told(running, signal);
  } else {
    console.log('Starting the product with throw-away data …');
    const product = await startProduct(process.env, {}, signal);
    try {
      await told(product.endpoints, signal);
    } finally {
      await product.stop();
    }
  }
  console.log(`\nDone: ${steps} steps, all as they should be.`);
}

/** The story, up to the point where somebody presses Ctrl-C. */
async function told(endpoints: Endpoints, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const interrupted = once(signal, 'abort').then(() => signal.throwIfAborted());
  await Promise.race([tellStory(endpoints, tell), interrupted]);
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

// What it started is stopped, and its data deleted, before it ends.
const interrupt = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => interrupt.abort());
}

try {
  await main(interrupt.signal);
} catch (error) {
  if (interrupt.signal.aborted) process.exit(INTERRUPTED);
  console.error(`\nThe demo failed at step ${steps + 1}.`);
  console.error(error instanceof LocalStackError ? error.message : error);
  process.exitCode = 1;
}
