#!/usr/bin/env node
// Counts the lines of a checkout by area against the ceilings of its ceilings.json: size.mjs [--lower] [root]. Exits 1
// when an area is above its ceiling. --lower brings every ceiling down to what is there, and raises none.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { filesIn } from './files-in.mjs';

const { values, positionals } = parseArgs({
  options: { lower: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const root = path.resolve(positionals[0] ?? path.join(import.meta.dirname, '../../..'));
const file = path.join(root, 'ceilings.json');
/** Patterns of the kinds of files; the first that fits counts. */
const KINDS = [
  ['generated', /\/gen\/.*\.ts$|\/(answers|openapi|asyncapi)\.json$/],
  ['documents', /\.md$/],
  ['tests', /\.test\.tsx?$|\/test\/.*\.(ts|tsx|mjs|js)$|^packages\/(testing|house)\/.*\.(ts|mjs)$/],
  ['source', /\.(ts|tsx|mjs|js)$/],
];

/** A package or a service; all else is the house. */
const areaOf = (name) => /^(?:packages|services)\/[^/]+(?=\/)/.exec(name)?.[0] ?? 'house';

/** Lines by kind and area. */
const lines = Object.fromEntries(KINDS.map(([kind]) => [kind, {}]));
for (const name of filesIn(root)) {
  const [kind] = KINDS.find(([, pattern]) => pattern.test(name)) ?? [];
  if (!kind) continue;
  // Documents and generated code move between packages as readers and makers want it.
  const area = kind === 'source' || kind === 'tests' ? areaOf(name) : 'all';
  const count = readFileSync(path.join(root, name), 'utf8').split('\n').length - 1;
  lines[kind][area] = (lines[kind][area] ?? 0) + count;
}

const { raised, ...ceilings } = JSON.parse(readFileSync(file, 'utf8'));
const sizes = Object.entries(lines).flatMap(([kind, areas]) =>
  Object.entries(areas).map(([area, count]) => ({
    kind,
    area,
    count,
    ceiling: ceilings[kind]?.[area] ?? 0,
  })),
);
if (values.lower) {
  const lowered = {};
  for (const { kind, area, count, ceiling } of sizes) {
    (lowered[kind] ??= {})[area] = Math.min(count, ceiling);
  }
  writeFileSync(file, `${JSON.stringify({ ...lowered, raised }, null, 2)}\n`);
}
const above = sizes.filter(({ count, ceiling }) => count > ceiling);
for (const { kind, area, count, ceiling } of above) {
  console.error(
    `${kind} of ${area}: ${count} lines are above the ceiling of ${ceiling}. Remove what is no longer needed, or raise ` +
      `the ceiling in ceilings.json with a line under "raised" about what a user gets for it.`,
  );
}
if (above.length > 0) process.exit(1);
const sums = Object.entries(lines).map(
  ([kind, areas]) => `${kind} ${Object.values(areas).reduce((sum, count) => sum + count, 0)}`,
);
console.log(`size: ${sums.join(', ')} lines, none above its ceiling`);
