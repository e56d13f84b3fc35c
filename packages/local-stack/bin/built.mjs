#!/usr/bin/env node
// npm run built: what every check begins with. Installs what checks need, and builds what is not of the sources that
// lie here; does nothing when all is there.
import { ensureInstalled } from './bootstrap.mjs';
import { ensureBuilt } from './build.mjs';

await ensureInstalled({ checks: true });
await ensureBuilt();
