#!/usr/bin/env node
// npm run built: builds what is not of the sources that lie here, and nothing when everything is.
import { ensureBuilt } from './build.mjs';

await ensureBuilt();
