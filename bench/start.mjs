#!/usr/bin/env node
// npm run bench: how long `npm start` takes to `Junction is ready`, on fresh data and on kept data.
// Writes bench/results/start.json. Talks to 127.0.0.1 only and ends what it starts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const START = path.join(ROOT, 'packages/local-stack/bin/start.mjs');
const RUNS = 5;
const READY_WITHIN_MS = 120_000;

const PORTS = Object.fromEntries(
  [
    'GATEWAY',
    'KAFKA',
    'POSTGRES',
    'PROVIDER',
    'AUTH_HTTP',
    'INTEGRATIONS_HTTP',
    'WEBHOOKS_HTTP',
    'AUTH_GRPC',
    'INTEGRATIONS_GRPC',
    'WEBHOOKS_GRPC',
  ].map((name) => [`${name}_PORT`, '0']),
);

/** Seconds from the command to the line that says it is ready. */
async function startOnce(dataDir) {
  const began = performance.now();
  const child = spawn(process.execPath, [START], {
    env: { ...process.env, ...PORTS, JUNCTION_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const overdue = setTimeout(() => child.kill('SIGTERM'), READY_WITHIN_MS);
  let seconds;
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
    if (seconds !== undefined || !/^Junction is ready/m.test(printed)) return;
    seconds = (performance.now() - began) / 1_000;
    child.kill('SIGINT');
  });
  await exited;
  clearTimeout(overdue);
  if (seconds === undefined) throw new Error(`It did not become ready. It printed:\n${printed}`);
  return seconds;
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const rounded = (values) => values.map((value) => Number(value.toFixed(2)));

const dataDir = mkdtempSync('/var/tmp/junction-bench-');
chmodSync(dataDir, 0o711);
try {
  await startOnce(dataDir); // builds what is not built, and makes the data
  const warm = [];
  for (let run = 1; run <= RUNS; run++) warm.push(await startOnce(dataDir));
  rmSync(dataDir, { recursive: true, force: true });
  const fresh = [await startOnce(dataDir)];

  const result = {
    what: 'seconds from the command to `Junction is ready`, everything built',
    machine: {
      cpus: os.cpus().length,
      memoryGiB: Math.round(os.totalmem() / 2 ** 30),
      node: process.version,
    },
    warm: { runs: rounded(warm), median: Number(median(warm).toFixed(2)) },
    freshData: { runs: rounded(fresh) },
  };
  writeFileSync(
    path.join(ROOT, 'bench/results/start.json'),
    `${JSON.stringify(result, null, 2)}\n`,
  );
  console.log(JSON.stringify(result, null, 2));
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
