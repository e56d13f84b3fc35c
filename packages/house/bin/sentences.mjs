#!/usr/bin/env node
// Checks the comments of a checkout, the texts that describe its API, settings and commands, the titles of its tests
// and its Markdown: sentences.mjs [root]. Exits 1 when one begins with a word that leaves its subject to be guessed, or
// when a line of a comment is wider than 120 columns.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { filesIn } from './files-in.mjs';

const root = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '../../..'));
const FRAGMENT =
  /^(What|Of|One|Ones|Who|Whoever|Whom|Whose|Those|It|Its|They|Told|Asked|Nobody|Somebody)\b/;
const FRAGMENT_OF_TEXT = new RegExp(FRAGMENT.source, 'i');
/** Texts that stand alone may not begin as clauses either. */
const CLAUSE = /^(How|When|Until|Why|Where|Although)\b/i;
/** A title and a paragraph may begin with a condition. */
const QUESTION_WORD = /^(How|Why)\b/i;
/** A text that a reader of the API, of the settings or of a command's help meets. */
const TEXT =
  /(?:\.describe\(|\.description\(|\.(?:option|argument)\(\s*'[^']*',|\babout:|\bsummary:)\s*(['"`])(?<text>(?:\\.|(?!\1).)*)\1/gs;
/** The title of a test, or that of the rows of a table. */
const TITLE = /(?:(?<![.\w])(?:describe|it|test)|\))\(\s*(['"`])(?<text>(?:\\.|(?!\1).)*)\1/gs;
/** A heading of Markdown, or a cell that is a sentence: in lower case it is a phrase under the head of its column. */
const HEADING = /(?:^#+ |\| )[*_[]*(?<text>[A-Z][^|\n]*)/gm;
/** The first line of an item or of a paragraph. */
const PROSE = /(?:^ *(?:[-*]|\d+\.) |(?<=\n\n))[*_[]*(?<text>[A-Z][^\n]*)/gm;
const CODE = /^ *```.*?^ *```/gms;
const TEST = /\.test\.|\/test\//;
const COLUMNS = 120;
/** Sources that people write. */
const SOURCE = /^(?!(?:.*\/)?gen\/).*\.(?:ts|tsx|mts|mjs|md)$/;
/** A block, or consecutive lines that are comments: of TypeScript, or of the SQL in its templates. */
const COMMENT =
  /^[ \t]*(?:\/\*.*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|-- [^\n]*(?:\n[ \t]*-- [^\n]*)*)/gms;
const SIGNS = /^\s*(?:\/\*\*?|\/\/|--)\s*(?:(?:\*|\/\/)\s+)?/;

const lineOf = (input, index) => input.slice(0, index).split('\n').length;

const mistakesIn = (file) => {
  const source = readFileSync(path.join(root, file), 'utf8');
  if (file.endsWith('.md')) {
    const words = source.replace(CODE, (code) => code.replaceAll(/[^\n]/g, ''));
    return [
      ...textMistakes(file, words, HEADING, CLAUSE),
      ...textMistakes(file, words, PROSE, QUESTION_WORD),
    ];
  }
  const texts = TEST.test(file) ? [TITLE, QUESTION_WORD] : [TEXT, CLAUSE];
  return [...commentMistakes(file, source), ...textMistakes(file, source, ...texts)];
};

function textMistakes(file, source, pattern, clause) {
  return [...source.matchAll(pattern)].flatMap(({ groups: { text }, index }) => {
    const [word] = FRAGMENT_OF_TEXT.exec(text) ?? clause.exec(text) ?? [];
    const isQuestion = /^[^.:]*\?/.test(text);
    return word && !isQuestion ? [`${file}:${lineOf(source, index)}: begins with ${word}`] : [];
  });
}

const commentMistakes = (file, source) =>
  [...source.matchAll(COMMENT)].flatMap(({ 0: comment, index, input }) => {
    const begin = lineOf(input, index);
    const place = (at) => `${file}:${begin + at}`;
    const wide = [...comment.split('\n').entries()].filter(([, { length }]) => length > COLUMNS);
    const mistakes = wide.map(([at]) => `${place(at)}: wider than ${COLUMNS} columns`);
    const [word] = FRAGMENT.exec(comment.replace(SIGNS, '')) ?? [];
    return word ? [`${place(0)}: begins with ${word}`, ...mistakes] : mistakes;
  });

const sources = filesIn(root).filter((file) => SOURCE.test(file));
const mistakes = sources.flatMap(mistakesIn);
for (const mistake of mistakes) console.error(mistake);
if (mistakes.length > 0) process.exit(1);
console.log(`sentences: ${sources.length} files, none broken`);
