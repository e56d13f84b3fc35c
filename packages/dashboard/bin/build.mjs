// Builds the page into dist/site, unless what it is made from has not changed since the last time.
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
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
  writeFileSync(STAMP, stamp);
}

// The gateway serves what lies here, and so the documents of the API.
for (const name of ['openapi.json', 'asyncapi.json']) {
  const [from, to] = [
    path.join(DASHBOARD, '../docs', name),
    path.join(DASHBOARD, 'dist/site', name),
  ];
  // An unchanged file is not copied again, because its compressed twins would be made again each time.
  if (!existsSync(to) || !readFileSync(from).equals(readFileSync(to))) copyFileSync(from, to);
}
precompress(path.join(DASHBOARD, 'dist/site'));
