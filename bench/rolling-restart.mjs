#!/usr/bin/env node
// npm run bench: two replicas of each service behind nginx, each restarted in turn under load; what
// failed, what was lost, how late the latest event was. Needs nginx on the PATH. Writes
// bench/results/rolling-restart.json. Talks to 127.0.0.1 only and ends what it starts.
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureBuilt, ensureInstalled, ROOT } from '../packages/local-stack/bin/bootstrap.mjs';

await ensureInstalled();
await ensureBuilt();
const { rollingRestart } = await import('../packages/demo/dist/index.js');

const { restarts, failures, ...figures } = await rollingRestart(process.env);
const result = {
  what: 'a rolling restart of six processes under load, two of each service behind nginx',
  machine: {
    cpus: os.cpus().length,
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    node: process.version,
    load: Number(os.loadavg()[0].toFixed(1)),
  },
  failed: failures.length,
  ...figures,
  restarts,
};
writeFileSync(
  path.join(ROOT, 'bench/results/rolling-restart.json'),
  `${JSON.stringify(result, null, 2)}\n`,
);
console.log(JSON.stringify(result, null, 2));
for (const failure of failures) console.error(failure);
if (failures.length > 0 || figures.events.delivered < figures.events.published)
  process.exitCode = 1;
