// Builds the documentation into dist/site, unless what it is made from has not changed since the last time.
import { writeFileSync } from 'node:fs';
import { compress } from '../../dashboard/bin/precompress.mjs';
import { areDocsCurrent, fingerprint, STAMP } from './site.mjs';

if (!areDocsCurrent()) {
  const stamp = fingerprint();
  const { documents } = await import('../dist/pages/main.js');
  for (const file of documents) compress(file);
  writeFileSync(STAMP, stamp);
}
