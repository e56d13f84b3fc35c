import path from 'node:path';
import { LocalStackError } from '../local-stack-error.js';
import { start } from './start.js';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const INTERRUPTED = 130;

async function main(): Promise<number> {
  const say = (line: string) => console.log(line);

  // While it starts, Ctrl-C calls the start off; afterwards it stops everything in order.
  const starting = new AbortController();
  let interrupt = () => {
    if (!starting.signal.aborted) say('Stopping …');
    starting.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => interrupt());
  }

  try {
    const product = await start({ root: ROOT, env: process.env, say, signal: starting.signal });
    const asked = new Promise<void>((resolve) => {
      interrupt = resolve;
    });
    // Counted from the beginning of this process, and so with what it installed and built before.
    say(`Started in ${(performance.now() / 1_000).toFixed(1)} s.\n`);
    say(product.ready);

    const exitCode = await Promise.race([asked.then(() => 0), product.gaveUp.then(() => 1)]);
    say('Stopping …');
    await product.stop();
    return exitCode;
  } catch (error) {
    if (starting.signal.aborted) return INTERRUPTED;
    console.error(error instanceof LocalStackError ? `\n${error.message}` : error);
    return 1;
  }
}

process.exit(await main());
