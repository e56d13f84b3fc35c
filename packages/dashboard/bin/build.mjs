// Builds the page into dist/site, unless what it is made from has not changed since the last time.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { precompress } from './precompress.mjs';
import { DASHBOARD, fingerprint, isSiteCurrent, STAMP } from './site.mjs';

// Vite respects another one, and a start from within a test would leave React's development build behind.
process.env.NODE_ENV = 'production';

if (!isSiteCurrent()) {
  const stamp = fingerprint();
  const { build } = await import('vite');
  const configFile = path.join(DASHBOARD, 'vite.config.mjs');
  await build({ root: DASHBOARD, configFile, logLevel: 'warn' });
  precompress(path.join(DASHBOARD, 'dist/site'), 11);
  writeFileSync(STAMP, stamp);
}
