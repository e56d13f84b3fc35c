#!/usr/bin/env node
// npm run chaos: kills and pauses at random, and checks what came of it. See packages/acceptance.
import { endWithNpm, ensureInstalled } from './bootstrap.mjs';
import { ensureBuilt } from './build.mjs';

endWithNpm();
await ensureInstalled();
await ensureBuilt('packages/acceptance');
await import('../../acceptance/dist/chaos/main.js');
