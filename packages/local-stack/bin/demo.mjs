#!/usr/bin/env node
// npm run demo: the main job in one terminal.
import { holderOf } from '../src/preflight/data-dir.mjs';
import { apart, settingsOf } from '../src/preflight/settings.mjs';
import { endWithNpm, ROOT, requireUsable } from './bootstrap.mjs';
import { prepare } from './prepare.mjs';

endWithNpm();
// The product that runs on the data of this folder is used as it is, and otherwise one of the demo's own.
const { dataDir } = settingsOf(process.env, ROOT);
if (holderOf(dataDir) === undefined)
  await requireUsable(apart(process.env, '/var/tmp/junction-demo'));
await prepare();
await import('../../demo/dist/main.js');
