import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, it } from '@jest/globals';

const SITE = path.resolve(import.meta.dirname, '../dist/site');
const BYTES_MAX = 250_000;

let firstLoad: readonly string[];

beforeAll(() => {
  const page = readFileSync(path.join(SITE, 'index.html'), 'utf8');
  const named = [...page.matchAll(/(?:src|href)="\/([^"]+\.js)"/g)].map(([, file = '']) => file);
  firstLoad = closureOf(named);
});

it('loads at most 250 KB of script at first, compressed', () => {
  const sizes = firstLoad.map((file) => ({
    file,
    bytes: gzipSync(read(file), { level: 9 }).length,
  }));
  const bytes = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(sizes.length).toBeGreaterThan(1);
  expect({ sizes, isWithin: bytes <= BYTES_MAX }).toEqual({ sizes, isWithin: true });
});

it('leaves the pages that are not needed at once for later', () => {
  const main = firstLoad.map(read).join('\n');
  const later = [...main.matchAll(/import\(`?["']?\.?\/?([^"'`)]+\.js)/g)].map(([, file]) => file);
  expect(new Set(later).size).toBeGreaterThan(4);
});

/** The files and whatever they import statically: what the browser has to have before it shows anything. */
function closureOf(files: readonly string[], seen = new Set<string>()): readonly string[] {
  for (const file of files) {
    if (seen.has(file)) continue;
    seen.add(file);
    const imports = [...read(file).matchAll(/(?:from|import)\s*["'`](\.[^"'`]+\.js)["'`]/g)];
    closureOf(
      imports.map(([, to = '']) => path.join(path.dirname(file), to)),
      seen,
    );
  }
  return [...seen];
}

const read = (file: string): string => readFileSync(path.join(SITE, file), 'utf8');
