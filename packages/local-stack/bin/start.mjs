#!/usr/bin/env node
// npm start: checks what it was given, installs and builds what is missing, then runs the product until Ctrl-C.
import { endWithNpm, ensureInstalled, requireUsable } from './bootstrap.mjs';
import { ensureBuilt } from './build.mjs';

endWithNpm();
await requireUsable(process.env);
await ensureInstalled();
await ensureBuilt();
await import('../dist/start/main.js');
