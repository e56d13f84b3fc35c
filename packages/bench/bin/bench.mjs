#!/usr/bin/env node
// npm run bench: installs and builds what is missing, and measures.
import { endWithNpm, ensureBuilt, ensureInstalled } from '../../local-stack/bin/bootstrap.mjs';

endWithNpm();
await ensureInstalled();
await ensureBuilt();
await import('../dist/main.js');
