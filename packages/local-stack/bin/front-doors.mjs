#!/usr/bin/env node
// routes.json and pages.json → infra/gateway/nginx.conf and what it includes.
//
//   front-doors.mjs          writes them
//   front-doors.mjs --check  fails when they are not exactly that
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt, ensureInstalled, ROOT } from './bootstrap.mjs';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
await ensureInstalled();
await ensureBuilt('packages/local-stack');

const { generatedFiles } = await import('../dist/index.js');
const present = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
const stale = [...generatedFiles()].filter(([file, text]) => present(file) !== text);

if (!values.check) for (const [file, text] of stale) writeFileSync(file, text);
else if (stale.length > 0) {
  const names = stale.map(([file]) => path.relative(ROOT, file)).join(', ');
  console.error(`Not what infra/gateway/*.json become: ${names}. Run \`npm run generate\`.`);
  process.exitCode = 1;
}
