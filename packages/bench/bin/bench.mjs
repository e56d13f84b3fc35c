#!/usr/bin/env node
// npm run bench: installs and builds what is missing, and measures.
import { endWithNpm, ensureInstalled } from '../../local-stack/bin/bootstrap.mjs';
import { ensureBuilt } from '../../local-stack/bin/build.mjs';
import { imagesNodePackage } from '../../local-stack/bin/images-node.mjs';

endWithNpm();
await ensureInstalled();
await ensureBuilt();
process.env.IMAGES_NODE_PACKAGE = imagesNodePackage();
await import('../dist/main.js');
