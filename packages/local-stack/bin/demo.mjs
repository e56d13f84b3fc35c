#!/usr/bin/env node
// npm run demo: the main job in one terminal.
import { endWithNpm, ensureBuilt, ensureInstalled } from './bootstrap.mjs';

endWithNpm();
await ensureInstalled();
await ensureBuilt();
await import('../../demo/dist/main.js');
