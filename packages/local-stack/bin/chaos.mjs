#!/usr/bin/env node
// npm run chaos: kills and pauses at random, and checks what came of it. See packages/chaos.
import { endWithNpm, ensureInstalled } from './bootstrap.mjs';
import { ensureBuilt } from './build.mjs';

endWithNpm();
await ensureInstalled();
await ensureBuilt('packages/chaos');
await import('../../chaos/dist/main.js');
