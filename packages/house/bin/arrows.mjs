#!/usr/bin/env node
// Checks the import arrows of a checkout, and that its pure rooms have no clock: arrows.mjs [root]. Exits 1 when a rule
// is broken, and also when fewer modules were read than there are: a check that sees nothing finds nothing.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import swc from '@swc/core';
import { cruise } from 'dependency-cruiser';
import config from '../../../.dependency-cruiser.mjs';

const root = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '../../..'));
const ROOMS = ['packages', 'services'];
const UNREAD = /node_modules|\/dist\/|^packages\/contracts\/src\/gen\//;

const sources = ROOMS.flatMap((room) =>
  readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' })
    .map((file) => `${room}/${file}`)
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts') && !UNREAD.test(file)),
);

// dependency-cruiser has every file parsed as TypeScript without JSX, and no option that says otherwise.
const { parseFileSync: parse } = swc;
swc.parseFileSync = (file, options) => parse(file, { ...options, tsx: file.endsWith('.tsx') });

const ruleSet = { forbidden: config.forbidden };
const options = { ...config.options, baseDir: root, ruleSet, validate: true };
const { output } = await cruise(ROOMS, options, config.options.enhancedResolveOptions);

// Time and chance come in by a port. The driver of the dispatcher alone has timers of its own.
const PURE = /^services\/[^/]+\/src\/(domain|projections|application)\//;
const DRIVER = /^services\/webhook-dispatcher\/src\/application\/sending\/(?!scheduler\/)/;
const CLOCKS = /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bMath\.random\b/;
const TIMERS = /\bset(Timeout|Interval|Immediate)\(|['"](node:)?timers/;
const COMMENTS = /\/\*.*?\*\/|\/\/[^\n]*/gs;

const ambient = sources.filter((file) => {
  if (!PURE.test(file) || file.endsWith('.test.ts')) return false;
  const code = readFileSync(path.join(root, file), 'utf8').replaceAll(COMMENTS, '');
  return CLOCKS.test(code) || (TIMERS.test(code) && !DRIVER.test(file));
});

const read = new Set(output.modules.map(({ source }) => source));
const unseen = sources.filter((file) => !read.has(file));
const { violations } = output.summary;

for (const { rule, from, to } of violations) console.error(`${rule.name}: ${from} → ${to}`);
for (const file of ambient) console.error(`pure-rooms-have-no-clock: ${file}`);
for (const file of unseen.slice(0, 10)) console.error(`not read: ${file}`);
const broken = violations.length + ambient.length;
if (broken > 0 || unseen.length > 0) {
  console.error(`${broken} broken arrows, ${unseen.length} modules not read`);
  process.exit(1);
}
console.log(`arrows: ${sources.length} modules, none broken`);
