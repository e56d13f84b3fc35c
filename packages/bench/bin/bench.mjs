#!/usr/bin/env node
// npm run bench: installs and builds what is missing, and measures.
import { endWithNpm, ensureInstalled } from '../../local-stack/bin/bootstrap.mjs';
import { ensureBuilt } from '../../local-stack/bin/build.mjs';

endWithNpm();
await ensureInstalled();
await ensureBuilt();
await import('../dist/main.js');
