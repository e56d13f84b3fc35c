#!/usr/bin/env node
// junction: the command for developers and operators.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(fileURLToPath(main))) {
  await import(main.href);
} else {
  console.error('junction is not built yet. Run: npm run build');
  process.exitCode = 1;
}
