import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildSite } from './build.js';

const SITE = path.join(import.meta.dirname, '../site');

rmSync(SITE, { recursive: true, force: true });
for (const [file, content] of buildSite()) {
  const place = path.join(SITE, file);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, content);
}
