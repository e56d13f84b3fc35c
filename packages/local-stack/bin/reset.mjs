#!/usr/bin/env node
// npm run reset: deletes the data, secrets and logs of this folder. Refuses while something runs on them.
import path from 'node:path';
import { ensureInstalled, ROOT } from './bootstrap.mjs';
import { ensureBuilt } from './build.mjs';

await ensureInstalled();
await ensureBuilt();
const { LocalStackError, deleteData } = await import('../dist/index.js');
const dataDir = path.resolve(ROOT, process.env.JUNCTION_DATA_DIR || '.junction');
try {
  deleteData(dataDir);
  console.log(`${dataDir} is gone. The next start begins anew.`);
} catch (error) {
  console.error(error instanceof LocalStackError ? error.message : error);
  process.exitCode = 1;
}
