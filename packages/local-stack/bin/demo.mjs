#!/usr/bin/env node
// npm run demo: the main job in one terminal.
import { ensureBuilt, ensureInstalled } from './bootstrap.mjs';

await ensureInstalled();
await ensureBuilt();
await import('../../demo/dist/main.js');
