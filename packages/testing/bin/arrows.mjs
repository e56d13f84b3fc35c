#!/usr/bin/env node
// Checks the import arrows of a checkout: arrows.mjs [root]. Exits 1 when a rule is broken, and
// also when fewer modules were read than there are: a check that sees nothing finds nothing.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { cruise } from 'dependency-cruiser';
import config from '../../../.dependency-cruiser.mjs';

const root = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '../../..'));
const ROOMS = ['packages', 'services'];
const UNREAD = /node_modules|\/dist\/|^packages\/contracts\/src\/gen\//;

const sources = ROOMS.flatMap((room) =>
  readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' })
    .map((file) => `${room}/${file}`)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts') && !UNREAD.test(file)),
);

const { output } = await cruise(
  ROOMS,
  {
    ...config.options,
    baseDir: root,
    ruleSet: { forbidden: config.forbidden },
    validate: true,
  },
  config.options.enhancedResolveOptions,
);

const read = new Set(output.modules.map(({ source }) => source));
const unseen = sources.filter((file) => !read.has(file));
const { violations } = output.summary;

for (const { rule, from, to } of violations) console.error(`${rule.name}: ${from} → ${to}`);
for (const file of unseen.slice(0, 10)) console.error(`not read: ${file}`);
if (violations.length > 0 || unseen.length > 0) {
  console.error(`${violations.length} broken arrows, ${unseen.length} modules not read`);
  process.exit(1);
}
console.log(`arrows: ${sources.length} modules, none broken`);
