// Builds the documentation into dist/site, unless what it is made from has not changed since the last time.
import { writeFileSync } from 'node:fs';
import { precompress } from '../../dashboard/bin/precompress.mjs';
import { areDocsCurrent, fingerprint, SITE, STAMP } from './site.mjs';

if (!areDocsCurrent()) {
  const stamp = fingerprint();
  await import('../dist/pages/main.js');
  precompress(SITE, 9);
  writeFileSync(STAMP, stamp);
}
