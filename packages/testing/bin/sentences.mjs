#!/usr/bin/env node
// Checks the comments of a checkout: sentences.mjs [root]. Exits 1 when a comment begins with a word that leaves its
// subject to be guessed, or when one of its lines is wider than 120 columns.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '../../..'));
const FRAGMENT =
  /^(What|Of|One|Ones|Who|Whoever|Whom|Whose|Those|It|Its|They|Told|Asked|Nobody|Somebody)\b/;
const COLUMNS = 120;
const UNREAD = new Set(['node_modules', 'dist', 'gen', 'coverage', '.git', '.junction']);
/** A block, or consecutive lines that are comments: of TypeScript, or of the SQL in its templates. */
const COMMENT =
  /^[ \t]*(?:\/\*.*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|-- [^\n]*(?:\n[ \t]*-- [^\n]*)*)/gms;
const SIGNS = /^\s*(?:\/\*\*?|\/\/|--)\s*(?:(?:\*|\/\/)\s+)?/;

const sourcesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return UNREAD.has(entry.name) ? [] : sourcesIn(file);
    return entry.isFile() && /\.(ts|tsx|mts|mjs)$/.test(entry.name) ? [file] : [];
  });

const mistakesIn = (file) =>
  [...readFileSync(file, 'utf8').matchAll(COMMENT)].flatMap(({ 0: comment, index, input }) => {
    const begin = input.slice(0, index).split('\n').length;
    const place = (at) => `${path.relative(root, file)}:${begin + at}`;
    const wide = [...comment.split('\n').entries()].filter(([, { length }]) => length > COLUMNS);
    const mistakes = wide.map(([at]) => `${place(at)}: wider than ${COLUMNS} columns`);
    const [word] = FRAGMENT.exec(comment.replace(SIGNS, '')) ?? [];
    return word ? [`${place(0)}: begins with ${word}`, ...mistakes] : mistakes;
  });

const sources = sourcesIn(root);
const mistakes = sources.flatMap(mistakesIn);
for (const mistake of mistakes) console.error(mistake);
if (mistakes.length > 0) process.exit(1);
console.log(`sentences: ${sources.length} files, none broken`);
