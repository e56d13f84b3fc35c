// Builds the documentation into dist/site, unless what it is made from has not changed since the last time.
import { writeFileSync } from 'node:fs';
import { precompress } from '../../dashboard/bin/precompress.mjs';
import { areDocsCurrent, eventTypesFile, fingerprint, SITE, STAMP } from './site.mjs';

if (!areDocsCurrent()) {
  const stamp = fingerprint();
  const { writeSite } = await import('../dist/pages/main.js');
  await writeSite(eventTypesFile());
  precompress(SITE, 9);
  writeFileSync(STAMP, stamp);
}
