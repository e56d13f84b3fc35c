#!/usr/bin/env node
// npm start: installs and builds what is missing, then runs the product until Ctrl-C.
import { endWithNpm, ensureBuilt, ensureInstalled } from './bootstrap.mjs';

endWithNpm();
await ensureInstalled();
await ensureBuilt();
await import('../dist/start/main.js');
