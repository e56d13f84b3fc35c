#!/usr/bin/env node
// npm start: installs and builds what is missing, then runs the product until Ctrl-C.
import { ensureBuilt, ensureInstalled } from './bootstrap.mjs';

await ensureInstalled();
await ensureBuilt();
await import('../dist/start/main.js');
