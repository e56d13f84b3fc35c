// Builds the documentation into dist/site, unless what it is made from has not changed since the last time.
import { writeFileSync } from 'node:fs';
import { areDocsCurrent, fingerprint, STAMP } from './site.mjs';

if (!areDocsCurrent()) {
  const stamp = fingerprint();
  await import('../dist/pages/main.js');
  writeFileSync(STAMP, stamp);
}
