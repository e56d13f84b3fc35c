#!/usr/bin/env node
// npm start: checks what it was given, installs and builds what is missing, then runs the product until Ctrl-C.
import { endWithNpm, requireUsable } from './bootstrap.mjs';
import { prepare } from './prepare.mjs';

endWithNpm();
await requireUsable(process.env);
await prepare();
await import('../dist/start/main.js');
