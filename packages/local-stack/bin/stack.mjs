#!/usr/bin/env node
// Postgres and Kafka alone, until Ctrl-C: stack.mjs [--data folder] [--ephemeral]. Prints the
// variables that the tests read, so that one stack can serve many runs.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled, ROOT } from './bootstrap.mjs';
import { ensureBuilt } from './build.mjs';

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: path.join(ROOT, '.junction', 'stack') },
    ephemeral: { type: 'boolean', default: false },
  },
});
await ensureInstalled();
await ensureBuilt('packages/local-stack');

const { LocalStackError, startBackends } = await import('../dist/index.js');
const off = new AbortController();
let backends;
let isStopping = false;
async function stop(code) {
  if (isStopping) return;
  isStopping = true;
  off.abort();
  await backends?.stop();
  process.exitCode = code;
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(0));

try {
  backends = await startBackends({
    dataDir: path.resolve(values.data),
    ephemeral: values.ephemeral,
    env: process.env,
    say: (line) => console.error(line),
    signal: off.signal,
  });
  backends.onExit((name) => {
    console.error(`${name} ended by itself.`);
    void stop(1);
  });
  if (backends.postgres) console.log(`JUNCTION_TEST_POSTGRES_URL=${backends.postgres.adminUrl}`);
  console.log(`KAFKA_BROKERS=${backends.kafkaBrokers}`);
} catch (error) {
  if (!isStopping) {
    console.error(error instanceof LocalStackError ? error.message : error);
    process.exitCode = 1;
  }
}
