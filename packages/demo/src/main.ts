import path from 'node:path';
import { type Endpoints, readEndpoints } from './endpoints.js';
import { startProduct } from './product.js';
import { tellStory } from './story.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');

let steps = 0;
function tell(step: string, result?: unknown): void {
  steps += 1;
  console.log(`\n${String(steps).padStart(2)}. ${step}`);
  if (result !== undefined) console.log(indented(JSON.stringify(result, null, 2)));
}

const indented = (text: string) => text.replaceAll(/^/gm, '    ');

async function main(): Promise<void> {
  const running = await runningEndpoints();
  if (running !== undefined) {
    console.log(`Using the product that runs at ${running.gateway}.`);
    await tellStory(running, tell);
  } else {
    console.log('Starting the product with throw-away data …');
    const product = await startProduct(process.env);
    try {
      await tellStory(product.endpoints, tell);
    } finally {
      await product.stop();
    }
  }
  console.log(`\nDone: ${steps} steps, all as they should be.`);
}

/** The product of this folder, if it has been started and answers. */
async function runningEndpoints(): Promise<Endpoints | undefined> {
  const dataDir = path.resolve(ROOT, process.env['JUNCTION_DATA_DIR'] ?? '.junction');
  try {
    const endpoints = readEndpoints(dataDir);
    await fetch(new URL('/.well-known/jwks.json', endpoints.gateway), {
      signal: AbortSignal.timeout(2_000),
    });
    return endpoints;
  } catch {
    return undefined; // Never started, or stopped since.
  }
}

main().catch((error: unknown) => {
  console.error(`\nThe demo failed at step ${steps + 1}.`);
  console.error(error);
  process.exitCode = 1;
});
